/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cost-text.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/format.h"

#include <stdlib.h>
#include <string.h>

uint64_t cost_whole(const struct loaded *loaded, uint64_t time_all)
{
    uint64_t wall = 0;

    if ( types_is_time(&loaded->types) )
        return time_all;
    for ( size_t i = 0; i < loaded->pcpus.count; i++ )
    {
        const struct loaded_pcpu *pcpu = table_at(&loaded->pcpus, i);

        wall += pcpu->wall;
    }
    return wall;
}

/* What else of dom0's and guests' time it was, by who ran in samples; "" if
 * that is no more. */
static char *by_samples(const struct loaded *loaded, uint64_t counted,
                        uint64_t time_all)
{
    uint64_t dom0 = own_cost_in_dom0(loaded);
    uint64_t guests = own_cost_in_guests(loaded);
    char *more SCOPE_FREE = guests ? must_text("; of guests', %.2f%% opagent",
                                               percent_of(guests, time_all))
                                   : must(strdup(""));

    return dom0 > counted
               ? must_text("; with xenopctl, opagent and others %.2f%% of "
                           "dom0's, by samples%s",
                           percent_of(dom0, time_all), more)
               : must_text("%s", more);
}

char *cost_text(const struct loaded *loaded, uint64_t time_all)
{
    const struct loaded_cost *cost = &loaded->cost;
    uint64_t daemon = cost_on_pcpus(loaded, cost->daemon);
    uint64_t children = cost_on_pcpus(loaded, cost->children);
    uint64_t all = cost->module + own_cost_in_dom0(loaded) +
                   own_cost_in_guests(loaded);
    char *more SCOPE_FREE = NULL;

    time_all = cost_whole(loaded, time_all);
    more = by_samples(loaded, daemon + children, time_all);
    if ( !all && !cost->reported )
        return must(strdup(""));
    if ( !cost->reported )
        return must_text("%.2f%% of pCPU time in Xen; what xenoprofd took is "
                         "part of dom0's, and not in this session%s",
                         percent_of(cost->module, time_all), more);
    return must_text(
        "%.2f%% of pCPU time: %.2f%% in Xen; of dom0's, %.2f%% xenoprofd and "
        "%.2f%% its processes%s",
        percent_of(all, time_all), percent_of(cost->module, time_all),
        percent_of(daemon, time_all), percent_of(children, time_all), more);
}

char *cost_mark(const struct loaded *loaded, uint32_t domain, uint64_t time_all,
                char *name)
{
    char *plain SCOPE_FREE = name;
    uint64_t cost = own_cost_of(loaded, domain);

    if ( !plain || domain <= DOMAIN_INDEX_IDLE || !cost ||
         !types_is_time(&loaded->types) )
        return plain ? must(strdup(plain)) : NULL;
    return must_text("%s, profiler %.2f%%", plain, percent_of(cost, time_all));
}

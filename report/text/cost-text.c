/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "cost-text.h"

#include "base/scope.h"
#include "report/model/format.h"

#include <stdlib.h>
#include <string.h>

static double percent(uint64_t part, uint64_t all)
{
    return all ? 100.0 * (double)part / (double)all : 0.0;
}

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

char *cost_text(const struct loaded *loaded, uint64_t time_all)
{
    const struct loaded_cost *cost = &loaded->cost;
    uint64_t daemon = cost_on_pcpus(loaded, cost->daemon);
    uint64_t children = cost_on_pcpus(loaded, cost->children);

    time_all = cost_whole(loaded, time_all);
    if ( !cost->module && !cost->told )
        return strdup("");
    if ( !cost->told )
        return format_text("%.2f%% of pCPU time in Xen; what xenoprofd took is "
                           "part of dom0's, and not in this session",
                           percent(cost->module, time_all));
    return format_text(
        "%.2f%% of pCPU time: %.2f%% in Xen; of dom0's, %.2f%% xenoprofd and "
        "%.2f%% its processes",
        percent(cost->module + daemon + children, time_all),
        percent(cost->module, time_all), percent(daemon, time_all),
        percent(children, time_all));
}

char *cost_mark(const struct loaded *loaded, uint32_t domain, uint64_t time_all,
                char *name)
{
    char *plain SCOPE_FREE = name;
    uint64_t cost = cost_on_pcpus(loaded, cost_of_dom0(&loaded->cost));

    if ( !plain || domain <= DOMAIN_INDEX_IDLE || !cost ||
         !types_is_time(&loaded->types) ||
         loaded_domain(loaded, domain)->key.number != 0 )
        return plain ? strdup(plain) : NULL;
    return format_text("%s, profiler %.2f%%", plain, percent(cost, time_all));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "waits-text.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/format.h"
#include "report/text/json-members.h"

#include <stdlib.h>

/* What picks samples says nothing of waits. */
static bool picks_samples(const struct query *query)
{
    for ( unsigned int key = 0; key < FILTERS; key++ )
        if ( key != FILTER_TIME && query->selection.filters[key].count )
            return true;
    return query->focus.count;
}

static enum exit_status refuse_picks(const struct report *report,
                                     const char *view, struct failure *failure)
{
    if ( !picks_samples(report->query) )
        return STATUS_DONE;
    return fail(failure, STATUS_USAGE,
                "--%s is about all vCPUs, not about samples: leave out "
                "--focus, --ignore and --filter, but for "
                "--filter=time=START..END",
                view);
}

enum exit_status exits_expect(const struct report *report,
                              struct failure *failure)
{
    if ( refuse_picks(report, "exits", failure) )
        return failure->status;
    if ( report->loaded->exits.rows.count )
        return STATUS_DONE;
    return fail(failure, STATUS_USAGE,
                "%s has no exits: xenopctl --record=SECONDS --trace=exits "
                "records them, of HVM and PVH guests; or none are in the time "
                "range",
                report->name);
}

enum exit_status waits_expect(const struct report *report,
                              struct failure *failure)
{
    if ( refuse_picks(report, "waits", failure) )
        return failure->status;
    if ( report->loaded->waits.vcpus.count )
        return STATUS_DONE;
    return fail(
        failure, STATUS_USAGE,
        "%s has no waits: it was recorded by xenoprofd before 0.2.0, is "
        "shorter than 2 s, or its header warns that Xen's list of "
        "domains was not found; or none are in the time range",
        report->name);
}

const char *waits_name_of(const struct loaded *loaded, const uint8_t uuid[16],
                          uint32_t number)
{
    const struct waiting_domain *domain = waits_find(&loaded->waits, uuid,
                                                     number);

    return domain ? names_text(&loaded->names, domain->name) : NULL;
}

char *waits_domain_name(const struct loaded *loaded, const uint8_t uuid[16],
                        uint32_t domain)
{
    const char *name = waits_name_of(loaded, uuid, domain);

    return name && *name ? must_text("%s (%u)", name, domain)
                         : must_text("%u", domain);
}

void waits_put_domain(struct sheet *sheet, const struct loaded *loaded,
                      const uint8_t uuid[16], uint32_t domain)
{
    sheet_count(sheet, NULL, "domain", domain);
    if ( sheet->json )
        json_put_text(sheet->json, "domain_name",
                      waits_name_of(loaded, uuid, domain));
}

char *waits_domain_text(const struct loaded *loaded,
                        const struct waiting_domain *domain)
{
    return waits_domain_name(loaded, domain->key.uuid, domain->key.domain);
}

bool waits_any_marked(const struct waits *waits)
{
    for ( size_t i = 0; i < waits->vcpus.count; i++ )
    {
        const struct waiting_vcpu *vcpu = table_at(&waits->vcpus, i);

        if ( waits_marked(&vcpu->times) )
            return true;
    }
    return false;
}

static void add_ready_vcpu(struct header_line *line,
                           const struct loaded *loaded,
                           const struct waits_row *row, const char *between)
{
    const struct vcpu_times *times = &row->vcpu->times;
    char *domain SCOPE_FREE = waits_domain_text(loaded, row->domain);

    header_line_add(line, "%s%s v%u %.1f %%", between, domain,
                    row->vcpu->key.vcpu,
                    waits_percent(times, waits_ready(times)));
}

void waits_add_marked(struct header_line *line, const struct loaded *loaded,
                      size_t most)
{
    struct waits_row *rows SCOPE_FREE = waits_sorted(&loaded->waits);
    size_t marked = 0;

    for ( size_t i = 0; i < loaded->waits.vcpus.count; i++ )
        if ( waits_marked(&rows[i].vcpu->times) && marked++ < most )
            add_ready_vcpu(line, loaded, &rows[i], marked > 1 ? ", " : "");
    if ( marked > most )
        header_line_add(line, ", %zu more", marked - most);
}

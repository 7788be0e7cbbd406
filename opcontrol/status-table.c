/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>

#include "status.h"

static void put_session(const struct status *status, FILE *file)
{
    char since[32], until[32];

    status_format_time(status->since, since, sizeof(since));
    status_format_time(status->until, until, sizeof(until));
    fprintf(file, "session   %s in %s\n", status->name, status->dir);
    fprintf(file, "          from %s%s%s", since,
            status->until ? " to " : ", still running",
            status->until ? until : "");
    fprintf(file, "%s%s\n", status->by[0] ? ", started by " : "", status->by);
    fprintf(file, "sampler   %s, %" PRIu64 " Hz for each of %" PRIu64 " pCPUs",
            status->sampler, status->frequency, status->pcpus);
    if ( status->frequency != status->asked )
        fprintf(file, " (%" PRIu64 " asked for)", status->asked);
    fputc('\n', file);
}

static void put_counters(const struct status *status, FILE *file)
{
    fprintf(file, "samples   made %" PRIu64 ", read %" PRIu64 ", lost %" PRIu64,
            status->made, status->read, status->lost);
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        if ( status->lost_by_cause[i] )
            fprintf(file, ", %s %" PRIu64, xenoprof_cause_name(i),
                    status->lost_by_cause[i]);
    if ( status->made > status->read + status->lost )
        fprintf(file, "; waiting %" PRIu64,
                status->made - status->read - status->lost);
    fprintf(file,
            "\nticks     due %" PRIu64 ", missed %" PRIu64 " (%" PRIu64
            " of them on pCPUs gone idle)\n",
            status->due, status->missed, status->idle);
    fprintf(file, "cost      Xen %" PRIu64 " ms", status->cost / 1000000);
    if ( status->daemon_pid )
        fprintf(file,
                ", xenoprofd %" PRIu64 " ms user, %" PRIu64
                " ms system, %" PRIu64 " KiB",
                status->daemon_user / 1000000, status->daemon_system / 1000000,
                status->daemon_resident / 1024);
    fputc('\n', file);
}

/* "web (1), 269 in kernel: 97.3% reached their root, ..." */
static void put_chain(const struct chain_count *row, const char *title,
                      FILE *file)
{
    uint64_t all = chain_count_all(row);
    const char *between = ": ";

    fprintf(file, "%-10s%s (%u), %" PRIu64 " in %s", title, row->name,
            row->domain, all, xenoprof_mode_name(row->mode));
    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
    {
        if ( !row->ended[i] )
            continue;
        fprintf(file, "%s%.1f%% %s", between,
                100.0 * (double)row->ended[i] / (double)all,
                xenoprof_ended_text((enum xenoprof_ended)i));
        between = ", ";
    }
    fputc('\n', file);
}

static void put_chains(const struct status *status, FILE *file)
{
    const char *title = "chains";

    for ( size_t i = 0; i < status->chains.count; i++ )
    {
        const struct chain_count *row = &status->chains.rows[i];

        if ( !status->chains.walked[row->mode] )
            continue;
        put_chain(row, title, file);
        title = "";
    }
}

static void put_rings(const struct status *status, FILE *file)
{
    fprintf(file, "\n%6s  %-24s %5s  %10s  %10s  %10s  %s\n", "domain", "name",
            "cpu", "made", "read", "lost", "ring");
    for ( size_t i = 0; i < status->ring_count; i++ )
    {
        const struct status_ring *ring = &status->rings[i];
        char unit[16];

        snprintf(unit, sizeof(unit), "%c%u", ring->pcpu ? 'p' : 'v',
                 ring->unit);
        fprintf(file,
                "%6u  %-24s %5s  %10" PRIu64 "  %10" PRIu64 "  %10" PRIu64
                "  %s\n",
                ring->domain, ring->name[0] ? ring->name : "-", unit,
                ring->made, ring->read, ring->lost, ring->state);
    }
}

void status_print_table(const struct status *status, FILE *file)
{
    fprintf(file, "state     %s\n", status->state);
    if ( status->covered_by[0] )
        fprintf(file,
                "          the payload '%s' lies above the module and "
                "must be unloaded before --deinit\n",
                status->covered_by);
    if ( status->awaited )
        fprintf(file, "          %u pages wait for dom0 to unmap them\n",
                status->awaited);
    if ( !status->session )
        return;
    put_session(status, file);
    put_counters(status, file);
    put_chains(status, file);
    if ( status->warning[0] )
        fprintf(file, "note      %s\n", status->warning);
    if ( status->trouble[0] )
        fprintf(file, "trouble   %s\n", status->trouble);
    put_rings(status, file);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "header-brief.h"

#include "why-text.h"
#include "cost-text.h"
#include "header-line.h"
#include "layout.h"
#include "report/model/chain-ends.h"
#include "report/model/format.h"
#include "report/types/type-lines.h"
#include "report/waits/waits-text.h"
#include "libxenoprof/session/session-attributes.h"

#include <inttypes.h>
#include <math.h>

#define WAITS_SHOWN 2u   /* in one line */
#define ERROR_95    98.0 /* percent points of a half, with one sample */

static bool print_session(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    const char *host = loaded_attribute(loaded, SESSION_ATTRIBUTE_HOST);
    const char *xen = loaded_attribute(loaded, SESSION_ATTRIBUTE_XEN);
    const char *pcpus = loaded_attribute(loaded, SESSION_ATTRIBUTE_PCPUS);
    struct header_line line = header_line_begin(report, file);
    char length[CLOCK_TEXT];

    clock_format_length(loaded_since(loaded, loaded->last), length);
    header_line_add(&line, "%s, %s, %s", report->name,
                    loaded->closed ? "closed" : "still open", length);
    if ( host )
        header_line_add(&line, ", %s", host);
    if ( xen )
        header_line_add(&line, ", Xen %s", xen);
    if ( pcpus )
        header_line_add(&line, ", %s pCPUs", pcpus);
    return header_line_end(&line, "session");
}

bool header_brief(const struct report *report, FILE *file)
{
    return report->layout->no_header ||
           (print_session(report, file) && type_lines(report, file) &&
            verdict_print(report, file));
}

/* The full header has that line itself. */
bool header_says_waits(const struct report *report)
{
    return !report->layout->header && waits_any_marked(&report->loaded->waits);
}

/* Who was not let run, so that it looks idle above. */
static bool print_waits(const struct report *report, FILE *file)
{
    const struct types *types = &report->loaded->types;
    struct header_line line = header_line_begin(report, file);
    bool done = true;

    if ( header_says_waits(report) )
    {
        header_line_add(&line, "for a pCPU: ");
        done = waits_add_marked(&line, report->loaded, WAITS_SHOWN);
        header_line_add(&line, " (--waits%s)",
                        types->type[XENOPROF_TYPE_WAITING].samples
                            ? ", --event=waiting"
                            : "");
    }
    return header_line_end(&line, "waits") && done;
}

/* Chains that reached their root, of all that were recorded. */
static void add_chains(struct header_line *line, const struct loaded *loaded)
{
    struct chain_sums sums = chain_ends_sum(loaded);

    if ( sums.all )
        header_line_add(line, ", %.1f%% of chains whole",
                        why_percent(sums.whole, sums.all));
    else
        header_line_add(line, ", no call chains");
}

static void add_cost(struct header_line *line, const struct loaded *loaded,
                     uint64_t all)
{
    const struct loaded_cost *cost = &loaded->cost;

    if ( cost->told )
        header_line_add(
            line, "; the profiler took %.2f%% in Xen, %.2f%% in dom0",
            why_percent(cost->module, all),
            why_percent(cost_on_pcpus(loaded, cost_of_dom0(cost)), all));
    else if ( cost->module )
        header_line_add(line,
                        "; the profiler took %.2f%% in Xen, and its daemon's "
                        "time is dom0's",
                        why_percent(cost->module, all));
}

static bool print_sure(const struct report *report,
                       const struct profile *profile, FILE *file)
{
    struct header_line line = header_line_begin(report, file);
    uint64_t samples = profile->samples;

    header_line_add(&line, "%" PRIu64 " samples", samples);
    if ( samples )
        header_line_add(&line, ", shares are within %.1f points (95 %%)",
                        ERROR_95 / sqrt((double)samples));
    add_chains(&line, report->loaded);
    add_cost(&line, report->loaded,
             cost_whole(report->loaded, profile->time_all));
    return header_line_end(&line, "sure");
}

static bool print_more(const struct report *report, FILE *file)
{
    struct header_line line = header_line_begin(report, file);

    header_line_add(&line, "--why --callgraph --table --header --html=FILE; "
                           "xenopreport --help");
    return header_line_end(&line, "more");
}

bool header_end(const struct report *report, const struct profile *profile,
                FILE *file)
{
    return print_waits(report, file) && print_sure(report, profile, file) &&
           (report->layout->no_header || print_more(report, file));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "header-short.h"

#include "why-text.h"
#include "cost-text.h"
#include "header-line.h"
#include "layout.h"
#include "base/scope.h"
#include "report/model/chain-ends.h"
#include "report/model/format.h"
#include "report/time/sampling.h"
#include "report/types/type-lines.h"
#include "libxenoprof/session/session-attributes.h"

#include <inttypes.h>
#include <math.h>

#define BORROWED_SHOWN 1.0 /* percent */

static void print_session(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    const char *host = loaded_attribute(loaded, SESSION_ATTRIBUTE_HOST);
    const char *xen = loaded_attribute(loaded, SESSION_ATTRIBUTE_XEN);
    const char *pcpus = loaded_attribute(loaded, SESSION_ATTRIBUTE_PCPUS);
    struct header_line line = header_line_begin(report, file);
    char *state SCOPE_FREE = session_state_text(report->state, loaded);
    char length[CLOCK_TEXT];

    clock_format_length(loaded_since(loaded, loaded->last), length);
    header_line_add(&line, "%s, %s, %s", report->name, state ? state : "?",
                    length);
    if ( host )
        header_line_add(&line, ", %s", host);
    if ( xen )
        header_line_add(&line, ", Xen %s", xen);
    if ( pcpus )
        header_line_add(&line, ", %s pCPUs", pcpus);
    header_line_end(&line, "session");
}

void header_torn(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    struct header_line line = header_line_begin(report, file);

    if ( loaded->torn )
        header_line_add(
            &line, "%" PRIu64 " bytes at the end are not a whole block%s",
            loaded->torn,
            report->state == SESSION_OPEN ? " yet"
                                          : ": what was in it is lost");
    header_line_end(&line, "torn");
}

void header_short(const struct report *report, FILE *file)
{
    if ( !report->layout->no_header )
    {
        print_session(report, file);
        header_torn(report, file);
        type_lines(report, file);
        verdict_print(report, file);
    }
}

static void add_cost(struct header_line *line, const struct loaded *loaded,
                     uint64_t all)
{
    const struct loaded_cost *cost = &loaded->cost;
    uint64_t dom0 = own_cost_in_dom0(loaded);
    uint64_t guests = own_cost_in_guests(loaded);

    if ( !cost->reported && !cost->module && !dom0 && !guests )
        return;
    header_line_add(line, "; the profiler took %.2f%% in Xen",
                    percent_of(cost->module, all));
    if ( cost->reported || dom0 )
        header_line_add(line, ", %.2f%% in dom0", percent_of(dom0, all));
    if ( guests )
        header_line_add(line, ", %.2f%% in guests", percent_of(guests, all));
    if ( !cost->reported && !dom0 )
        header_line_add(line, ", and its daemon's time is dom0's");
}

/* How far a function that has half of the time may be off; less than that for
 * all others.  Of other types samples are all that there is. */
static double most_points(const struct loaded *loaded,
                          const struct profile *profile)
{
    double alike = sampling_alike(profile->sampled, profile->square);

    if ( !types_is_time(&loaded->types) )
        alike = (double)profile->samples;
    if ( alike < SAMPLING_LEAST )
        return -1;
    return 50 * SAMPLING_QUANTILE / sqrt(alike) *
           (types_is_time(&loaded->types) && profile->time_all
                ? profile->sampled / (double)profile->time_all
                : 1);
}

static void add_error(struct header_line *line, const struct report *report,
                      const struct profile *profile)
{
    const struct loaded *loaded = report->loaded;
    const double points = most_points(loaded, profile);
    const bool exact = loaded->accounted && types_is_time(&loaded->types) &&
                       !loaded->slots.by_pcpu;
    const uint64_t more = loaded->borrowed;

    if ( points < 0 )
        return;
    if ( exact )
        header_line_add(line,
                        "; shares of domains are Xen's own, those of "
                        "functions within %.1f points (95 %%)",
                        points);
    else
        header_line_add(line, "; shares are within %.1f points (95 %%)",
                        points);
    if ( exact && percent_of(more, profile->time_all) >= BORROWED_SHOWN )
        header_line_add(
            line,
            "; for %.1f%% of the time the vCPU had no sample in that "
            "second, and the nearest second's stand for it",
            percent_of(more, profile->time_all));
}

static void print_sure(const struct report *report,
                       const struct profile *profile, FILE *file)
{
    struct header_line line = header_line_begin(report, file);
    const struct chain_sums sums = chain_ends_sum(report->loaded);

    header_line_add(&line, "%" PRIu64 " samples", profile->samples);
    add_error(&line, report, profile);
    /* Chains that reached their root, of all that were recorded. */
    if ( sums.all )
        header_line_add(&line, ", %.1f%% of chains whole",
                        percent_of(sums.whole, sums.all));
    else
        header_line_add(&line, ", no call chains");
    add_cost(&line, report->loaded,
             cost_whole(report->loaded, profile->time_all));
    header_line_end(&line, "sure");
}

void header_end(const struct report *report, const struct profile *profile,
                FILE *file)
{
    struct header_line line;

    print_sure(report, profile, file);
    if ( report->layout->no_header )
        return;
    line = header_line_begin(report, file);
    header_line_add(&line, "--why --callgraph --table --header --html=FILE; "
                           "xenopreport --help");
    header_line_end(&line, "more");
}

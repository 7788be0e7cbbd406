/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What xenopreport shows when nothing is asked for: one screen that says where
 * the time went, why Xen ran, which functions were hot, and how sure that is.
 */
#include "header.h"
#include "header-line.h"
#include "header-samples.h"
#include "layout.h"
#include "overview-lines.h"
#include "report/waits/waits-text.h"
#include "why-text.h"
#include "base/scope.h"
#include "report/model/chain-ends.h"
#include "report/model/format.h"
#include "report/why/hot.h"
#include "report/model/profile.h"
#include "libxenoprof/session/session-attributes.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* With titles, blank lines and what follows: 23 lines, if nothing is lost. */
#define DOMAINS_SHOWN   4u
#define REASONS_SHOWN   5u
#define FUNCTIONS_SHOWN 4u
#define WAITS_SHOWN     2u /* in one line, instead of a function's */

#define PERCENT_NAMED 10.0 /* a reason's domains with less have no name */
#define ERROR_95      98.0 /* percent points of a half, with one sample */

struct overview {
    const struct report *report;
    struct profile domains;
    struct why_page why;
    struct hot hot;
};

static bool overview_init(struct overview *overview,
                          const struct report *report)
{
    static const struct label_list labels = {.label = {LABEL_DOMAIN},
                                             .count = 1};

    *overview = (struct overview){.report = report};
    return profile_build(&overview->domains, report->loaded, &labels) &&
           why_page_init(&overview->why, report) &&
           hot_build(&overview->hot, report->loaded, report->stacks);
}

static void overview_free(struct overview *overview)
{
    hot_free(&overview->hot);
    why_page_free(&overview->why);
    profile_free(&overview->domains);
}

static bool print_session(const struct overview *overview, FILE *file)
{
    const struct loaded *loaded = overview->report->loaded;
    const char *host = loaded_attribute(loaded, SESSION_ATTRIBUTE_HOST);
    const char *xen = loaded_attribute(loaded, SESSION_ATTRIBUTE_XEN);
    const char *pcpus = loaded_attribute(loaded, SESSION_ATTRIBUTE_PCPUS);
    struct header_line line = header_line_begin(overview->report, file);
    char length[CLOCK_TEXT];

    if ( overview->report->layout->no_header )
        return true;
    clock_format_length(loaded_since(loaded, loaded->last), length);
    header_line_add(&line, "%s, %s, %s", overview->report->name,
                    loaded->closed ? "closed" : "still open", length);
    if ( host )
        header_line_add(&line, ", %s", host);
    if ( xen )
        header_line_add(&line, ", Xen %s", xen);
    if ( pcpus )
        header_line_add(&line, ", %s pCPUs", pcpus);
    return header_line_end(&line, "session") && fputc('\n', file) != EOF;
}

static bool print_domain(const struct overview *overview, const struct row *row,
                         FILE *file)
{
    const struct loaded *loaded = overview->report->loaded;
    char *name SCOPE_FREE = label_text(
        loaded, LABEL_DOMAIN, row->key.value[LABEL_DOMAIN], LABEL_NONE);

    return name && overview_domain(overview->report->layout, row->time,
                                   row->time_by_mode,
                                   overview->domains.time_all, name, file);
}

/* The last line has all others, if there are more than fit. */
static bool print_domains(const struct overview *overview, FILE *file)
{
    const struct profile *domains = &overview->domains;
    size_t shown = domains->count > DOMAINS_SHOWN ? DOMAINS_SHOWN - 1
                                                  : domains->count;
    struct row rest = {.samples = 0};
    char *more SCOPE_FREE = NULL;

    overview_domains_title(overview->report->layout, file);
    for ( size_t i = 0; i < shown; i++ )
        if ( !print_domain(overview, domains->sorted[i], file) )
            return false;
    for ( size_t i = shown; i < domains->count; i++ )
    {
        rest.time += domains->sorted[i]->time;
        for ( unsigned int mode = 0; mode < XENOPROF_MODES; mode++ )
            rest.time_by_mode[mode] += domains->sorted[i]->time_by_mode[mode];
    }
    more = format_text("(%zu more)", domains->count - shown);
    if ( shown < domains->count &&
         (!more ||
          !overview_domain(overview->report->layout, rest.time,
                           rest.time_by_mode, domains->time_all, more, file)) )
        return false;
    return fputc('\n', file) != EOF;
}

/* "scheduler: which vCPU runs next: web (1), db (2)", from row *next on, which
 * is moved behind the reason's. */
static char *reason_line(const struct why_page *page, enum xen_reason reason,
                         size_t *next)
{
    const struct why *why = &page->why;
    char *text = format_text("%s", reason_text(reason)->words);
    const char *between = ": ";

    for ( ; *next < why->rows.count &&
            why->sorted[*next]->key.reason == (uint32_t)reason;
          ++*next )
    {
        const struct why_row *row = why->sorted[*next];
        char *before SCOPE_FREE = NULL;
        char *domain SCOPE_FREE = NULL;

        if ( why_percent(row->amount.time, why->by_reason[reason].time) <
             PERCENT_NAMED )
            continue;
        before = text;
        domain = why_domain(page, row);
        text = before && domain ? format_text("%s%s%s", before, between, domain)
                                : NULL;
        between = ", ";
    }
    return text;
}

static bool print_reasons(const struct overview *overview, FILE *file)
{
    const struct why *why = &overview->why.why;
    size_t next = 0;

    if ( !why->reasons )
        return true;
    fprintf(file, "percent  why Xen ran, which was for %.2f%%, and for whom\n",
            why_percent(why->xen.time, why->time_all));
    for ( size_t i = 0; i < why->reasons && i < REASONS_SHOWN; i++ )
    {
        char *text SCOPE_FREE = reason_line(&overview->why, why->order[i],
                                            &next);

        if ( !text || !overview_line(overview->report->layout,
                                     why->by_reason[why->order[i]].time,
                                     why->time_all, text, file) )
            return false;
    }
    return fputc('\n', file) != EOF;
}

static char *function_line(const struct overview *overview,
                           const struct hot_row *row)
{
    const struct frame *frame;
    char *name SCOPE_FREE = NULL;

    if ( row->key.frame == HOT_NAMELESS )
        return format_text("user    (addresses without a name)");
    frame = stacks_frame(overview->report->stacks, row->key.frame);
    name = frame_text(&overview->why.texts, frame);
    return name ? format_text("%-6s  %s", frame_mode(frame), name) : NULL;
}

/* The full header has that line itself. */
static bool says_waits(const struct overview *overview)
{
    return !overview->report->layout->header &&
           waits_any_marked(&overview->report->loaded->waits);
}

/* Who was not let run, so that it looks idle above. */
static bool print_waits(const struct overview *overview, FILE *file)
{
    struct header_line line = header_line_begin(overview->report, file);
    bool done = true;

    if ( says_waits(overview) )
    {
        header_line_add(&line, "for a pCPU: ");
        done = waits_add_marked(&line, overview->report->loaded, WAITS_SHOWN);
        header_line_add(&line, " (--waits)");
    }
    return header_line_end(&line, "waits") && done;
}

static bool print_functions(const struct overview *overview, FILE *file)
{
    const struct hot *hot = &overview->hot;
    size_t shown = FUNCTIONS_SHOWN - says_waits(overview);

    fprintf(file, "percent  mode    hottest functions");
    if ( hot->thunks.time )
        fprintf(file, " (%.2f%% are of thunks that they called)",
                why_percent(hot->thunks.time, hot->time_all));
    fputc('\n', file);
    for ( size_t i = 0; i < hot->rows.count && i < shown; i++ )
    {
        char *text SCOPE_FREE = function_line(overview, hot->sorted[i]);

        if ( !text || !overview_line(overview->report->layout,
                                     hot->sorted[i]->amount.time, hot->time_all,
                                     text, file) )
            return false;
    }
    return true;
}

/* Chains that reached their root, of all that were recorded. */
static void add_chains(struct header_line *line, const struct loaded *loaded)
{
    uint64_t whole = 0, all = 0;
    bool recorded[CHAIN_MODES];

    chain_ends_recorded(loaded, recorded);
    for ( uint32_t i = DOMAIN_INDEX_IDLE + 1; i < loaded->domains.count; i++ )
        for ( unsigned int m = 0; m < CHAIN_MODES; m++ )
        {
            const struct chain_ends *ends = &loaded_domain(loaded, i)->ends[m];

            whole += recorded[m] ? ends->ended[XENOPROF_ENDED_ROOT] : 0;
            all += recorded[m] ? ends->samples : 0;
        }
    if ( all )
        header_line_add(line, ", %.1f%% of chains whole",
                        why_percent(whole, all));
    else
        header_line_add(line, ", no call chains");
}

/* Counters are of the whole session. */
static void add_cost(struct header_line *line, const struct overview *overview)
{
    const struct report *report = overview->report;
    uint64_t cost = report->loaded->counters.cost;

    if ( cost && time_range_all(&report->query->selection.range) )
        header_line_add(line,
                        "; the profiler took %.2f%% in Xen, and its daemon's "
                        "time is dom0's",
                        why_percent(cost, overview->domains.time_all));
}

static bool print_sure(const struct overview *overview, FILE *file)
{
    const struct report *report = overview->report;
    struct header_line line = header_line_begin(report, file);
    uint64_t samples = overview->domains.samples;

    header_line_add(&line, "%" PRIu64 " samples", samples);
    if ( samples )
        header_line_add(&line, ", shares are within %.1f points (95 %%)",
                        ERROR_95 / sqrt((double)samples));
    add_chains(&line, report->loaded);
    add_cost(&line, overview);
    return header_line_end(&line, "sure");
}

/* What was lost, hidden or is not there yet; nothing if there is nothing. */
static bool print_losses(const struct overview *overview, FILE *file)
{
    const struct report *report = overview->report;
    const struct loaded *loaded = report->loaded;

    if ( report->layout->header ||
         (loaded_made(loaded) == loaded->read &&
          !selection_filters(&report->query->selection) &&
          !report->query->focus.count) )
        return true;
    return header_losses(report, &overview->domains, file);
}

static bool print_more(const struct overview *overview, FILE *file)
{
    struct header_line line = header_line_begin(overview->report, file);

    if ( overview->report->layout->no_header )
        return true;
    header_line_add(&line, "--why --callgraph --table --header --html=FILE; "
                           "xenopreport --help");
    return header_line_end(&line, "more");
}

static bool print_all(const struct overview *overview, FILE *file)
{
    const struct report *report = overview->report;
    const struct profile *shown = &overview->domains;

    if ( report->layout->header
             ? !header_print(report, shown, file) || fputc('\n', file) == EOF
             : !print_session(overview, file) )
        return false;
    if ( !shown->count )
        fputs("(no samples)\n", file);
    else if ( !(report->layout->no_summary || print_domains(overview, file)) ||
              !print_reasons(overview, file) ||
              !print_functions(overview, file) )
        return false;
    return print_losses(overview, file) && print_waits(overview, file) &&
           print_sure(overview, file) && print_more(overview, file);
}

static bool print_overview(const struct report *report, FILE *file)
{
    struct overview overview;
    bool done = overview_init(&overview, report) && print_all(&overview, file);

    overview_free(&overview);
    return done;
}

const struct view view_overview = {
    .print = print_overview,
    .stacks = true,
};

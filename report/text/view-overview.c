/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What xenopreport shows when nothing is asked for: one screen that says where
 * the time went, why Xen ran, which functions were hot, and how sure that is.
 */
#include "base/must.h"
#include "header.h"
#include "header-short.h"
#include "header-samples.h"
#include "layout.h"
#include "overview-lines.h"
#include "why-text.h"
#include "base/scope.h"
#include "cost-text.h"
#include "report/model/format.h"
#include "report/why/asked.h"
#include "report/why/hot.h"
#include "report/model/profile.h"
#include "report/types/type-lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define PERCENT_NAMED 10.0 /* a reason's domains with less have no name */
#define PERCENT_LINE  5.0  /* a domain with that has a line of its own, */
#define LINES_MOST    9u   /* if there are not more of them */

enum { DOMAINS, REASONS_RAN, FUNCTIONS, TABLES };

struct overview {
    const struct report *report;
    struct profile domains;
    struct why_page why;
    struct hot hot;
    struct screen_part tables[TABLES];
    char *before, *after; /* the tables */
};

static void print_domain(const struct overview *overview, const struct row *row,
                         FILE *file)
{
    const struct loaded *loaded = overview->report->loaded;
    uint32_t domain = (uint32_t)row->key.value[LABEL_DOMAIN];
    char *name SCOPE_FREE = cost_mark(
        loaded, domain, overview->domains.time_all,
        label_text(loaded, LABEL_DOMAIN, domain, LABEL_NONE));

    overview_domain(overview->report->layout, row->time, row->time_by_mode,
                    overview->domains.time_all, name, file);
}

/* The last line has all others, if there are more than fit. */
static void print_overview_domains(const struct overview *overview, FILE *file)
{
    const struct profile *domains = &overview->domains;
    const size_t most = overview->tables[DOMAINS].shown;
    size_t shown = domains->count > most ? most - 1 : domains->count;
    struct row rest = {.samples = 0};
    char *more SCOPE_FREE = NULL;

    overview_domains_title(overview->report->layout, file);
    for ( size_t i = 0; i < shown; i++ )
        print_domain(overview, domains->sorted[i], file);
    for ( size_t i = shown; i < domains->count; i++ )
    {
        rest.time += domains->sorted[i]->time;
        for ( unsigned int mode = 0; mode < XENOPROF_MODES; mode++ )
            rest.time_by_mode[mode] += domains->sorted[i]->time_by_mode[mode];
    }
    more = must_text("(%zu more)", domains->count - shown);
    if ( shown < domains->count )
        overview_domain(overview->report->layout, rest.time, rest.time_by_mode,
                        domains->time_all, more, file);
    fputc('\n', file);
}

/* "scheduler: which vCPU runs next: web (1), db (2)", from row *next on, which
 * is moved behind the reason's. */
static char *reason_line(const struct why_page *page, enum xen_reason reason,
                         size_t *next)
{
    const struct why *why = &page->why;
    char *text = why_reason(page, reason);
    const char *between = ": ";

    for ( ; *next < why->rows.count &&
            why->sorted[*next]->key.reason == (uint32_t)reason;
          ++*next )
    {
        const struct why_row *row = why->sorted[*next];
        char *before SCOPE_FREE = NULL;
        char *domain SCOPE_FREE = NULL;

        if ( percent_of(row->amount.time, why->by_reason[reason].time) <
             PERCENT_NAMED )
            continue;
        before = text;
        domain = why_domain(page, row);
        text = must_text("%s%s%s", before, between, domain);
        between = ", ";
    }
    return text;
}

static void print_overview_reasons(const struct overview *overview, FILE *file)
{
    const struct why *why = &overview->why.why;
    char *title SCOPE_FREE = must_text(
        "percent  why Xen ran, which was for %.2f%%, and for whom",
        percent_of(why->xen.time, why->time_all));
    size_t next = 0;

    if ( !why->reasons )
        return;
    overview_title(overview->report->layout, title, file);
    for ( size_t i = 0; i < overview->tables[REASONS_RAN].shown; i++ )
    {
        char *text SCOPE_FREE = reason_line(&overview->why, why->order[i],
                                            &next);

        overview_line(overview->report->layout,
                      why->by_reason[why->order[i]].time, why->time_all, text,
                      file);
    }
    fputc('\n', file);
}

static void print_functions(const struct overview *overview, FILE *file)
{
    const struct report *report = overview->report;
    const struct hot *hot = &overview->hot;

    overview_title(report->layout, "percent  mode    hottest functions", file);
    for ( size_t i = 0; i < overview->tables[FUNCTIONS].shown; i++ )
    {
        const struct hot_row *row = hot->sorted[i];
        const struct frame *frame = stacks_frame(report->stacks,
                                                 row->key.frame);
        char *name SCOPE_FREE = frame_text(&overview->why.texts, frame);
        char *text SCOPE_FREE = must_text("%-6s  %s", frame_mode(frame), name);

        overview_line(report->layout, row->amount.time, hot->time_all, text,
                      file);
    }
}

static void print_before(const struct overview *overview, FILE *file)
{
    const struct report *report = overview->report;

    if ( report->layout->header )
        header_print(report, &overview->domains, file);
    else
        header_short(report, file);
    if ( !report->layout->no_header )
        fputc('\n', file);
}

static void print_after(const struct overview *overview, FILE *file)
{
    const struct report *report = overview->report;
    const struct loaded *loaded = report->loaded;

    /* What was lost, hidden or is not there yet; nothing if there is
     * nothing. */
    if ( !report->layout->header &&
         (loaded_made(loaded) != loaded->read ||
          selection_filters(&report->query->selection) ||
          report->query->focus.count) )
        header_losses_short(report, &overview->domains, file);
    header_end(report, &overview->domains, file);
}

/* Returns what a function prints, malloc'ed. */
static char *printed_text(const struct overview *overview,
                          void (*print)(const struct overview *overview,
                                        FILE *file))
{
    char *text = NULL;
    size_t size;
    FILE *memory = must(open_memstream(&text, &size));

    print(overview, memory);
    return format_close(memory, &text);
}

static size_t lines_of(const char *text)
{
    size_t lines = 0;

    for ( ; (text = strchr(text, '\n')); text++ )
        lines++;
    return lines;
}

/* All is on one screen, with a line for what comes behind it; beside all facts
 * of the session the tables have a screen of their own. */
static size_t overview_rows_room(const struct overview *overview)
{
    const struct layout *layout = overview->report->layout;
    size_t taken = 1 + lines_of(overview->after) + 1;

    if ( !layout->header )
        taken += lines_of(overview->before);
    if ( !layout->no_summary )
        taken += 2;
    if ( overview->why.why.reasons )
        taken += 2;
    return layout->height > taken ? layout->height - taken : 0;
}

/* Lines of domains that there are in any case: nothing large is behind the last
 * one, "(3 more)". */
static size_t least_domains(const struct profile *domains)
{
    size_t large = 2;

    while ( large < domains->count && large < LINES_MOST - 1 &&
            percent_of(domains->sorted[large]->time, domains->time_all) >=
                PERCENT_LINE )
        large++;
    return large + 1;
}

static void share_rows(struct overview *overview)
{
    const bool summary = !overview->report->layout->no_summary;

    overview->tables[DOMAINS] = (struct screen_part){
        .there = summary ? overview->domains.count : 0,
        .least = least_domains(&overview->domains),
        .weight = 2};
    overview->tables[REASONS_RAN] = (struct screen_part){
        .there = overview->why.why.reasons, .least = 2, .weight = 2};
    overview->tables[FUNCTIONS] = (struct screen_part){
        .there = overview->hot.rows.count, .least = 3, .weight = 3};
    screen_rows_share(overview->tables, TABLES, overview_rows_room(overview));
}

static void print_tables(const struct overview *overview, FILE *file)
{
    if ( !overview->domains.count )
    {
        fputs("(no samples)\n", file);
        return;
    }
    if ( !overview->report->layout->no_summary )
        print_overview_domains(overview, file);
    print_overview_reasons(overview, file);
    print_functions(overview, file);
}

static void print_overview(const struct report *report, FILE *file)
{
    struct overview overview = {.report = report};

    profile_by_domain(&overview.domains, report->loaded);
    why_page_init(&overview.why, report);
    hot_build(&overview.hot, report->loaded, report->stacks);
    overview.before = printed_text(&overview, print_before);
    overview.after = printed_text(&overview, print_after);
    share_rows(&overview);
    fputs(overview.before, file);
    print_tables(&overview, file);
    fputs(overview.after, file);
    free(overview.before);
    free(overview.after);
    hot_free(&overview.hot);
    why_page_free(&overview.why);
    profile_free(&overview.domains);
}

const struct view view_overview = {
    .print = print_overview,
    .stacks = true,
    .pruned = &overview_asks,
};

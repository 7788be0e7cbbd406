/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --why: what Xen ran for, and for whom; xenopreport-json(5) describes the
 * object.
 */
#include "base/must.h"
#include "header.h"
#include "header-short.h"
#include "json-members.h"
#include "json-session.h"
#include "layout.h"
#include "why-text.h"
#include "base/wrap.h"
#include "base/scope.h"
#include "base/text.h"
#include "report/model/format.h"
#include "report/model/report.h"
#include "report/types/type-text.h"

#include <inttypes.h>
#include <stdlib.h>

#define NUMBERS_WIDTH 27u /* of the columns before the words */
#define DOMAIN_INDENT 2u  /* of what stands below a reason */

static bool is_small_amount(const struct why_page *page,
                            const struct amount *amount)
{
    return percent_of(amount->time, page->why.time_all) <
           query_limit(page->report->query);
}

static void print_numbers(const struct why_page *page,
                          const struct amount *amount, FILE *file)
{
    char *time SCOPE_FREE = type_amount(page->report->loaded, amount->time);

    fprintf(file, "%6.2f%%  %5.1f%% %10s  ",
            percent_of(amount->time, page->why.time_all),
            percent_of(amount->time, page->why.xen.time), time);
}

/* A line of numbers and a text, of colour. */
static void print_amount_line(const struct why_page *page,
                              const struct amount *amount, const char *text,
                              enum colour colour, FILE *file)
{
    const struct layout *layout = page->report->layout;
    char *clean SCOPE_FREE = must(text_clean(text));

    print_numbers(page, amount, file);
    screen_begin(&layout->screen, colour, file);
    wrap_print(file, clean, NUMBERS_WIDTH, layout->width);
    screen_end(&layout->screen, file);
    fputc('\n', file);
}

/* "  web (1): csched2_schedule 22%, _spin_lock 11%, burn_credits 8%"; numbers
 * that are the line's above are not repeated. */
static void print_row(const struct why_page *page, const struct why_row *row,
                      FILE *file)
{
    const struct amount *all = &page->why.by_reason[row->key.reason];
    bool alone = row->amount.time == all->time &&
                 row->amount.samples == all->samples;
    char *functions SCOPE_FREE = why_functions(page, row);
    char *domain SCOPE_FREE = why_domain(page, row);
    char *text SCOPE_FREE = NULL;
    char *clean SCOPE_FREE = NULL;

    text = must_text("%s%s%s", domain, *functions ? ": " : "", functions);
    clean = must(text_clean(text));
    if ( !alone )
        print_numbers(page, &row->amount, file);
    fprintf(file, "%*s",
            (int)(alone ? NUMBERS_WIDTH + DOMAIN_INDENT : DOMAIN_INDENT), "");
    wrap_print(file, clean, NUMBERS_WIDTH + DOMAIN_INDENT,
               page->report->layout->width);
    fputc('\n', file);
}

static void print_hidden_count(const struct why_page *page,
                               const struct amount *amount, size_t count,
                               const char *indent, FILE *file)
{
    char *text SCOPE_FREE = must_text("%s(%zu more)", indent, count);

    if ( count )
        print_amount_line(page, amount, text, COLOUR_MARK, file);
}

/* The rows of a reason, from the first that is not counted yet; those that are
 * small are summed up, but for the largest. */
static void print_reason_rows(const struct why_page *page,
                              enum xen_reason reason, size_t *next, FILE *file)
{
    const struct why *why = &page->why;
    struct amount hidden = {0};
    size_t first = *next, count = 0;

    for ( ; *next < why->rows.count; ++*next )
    {
        const struct why_row *row = why->sorted[*next];

        if ( row->key.reason != (uint32_t)reason )
            break;
        if ( *next == first || !is_small_amount(page, &row->amount) )
        {
            print_row(page, row, file);
            continue;
        }
        count++;
        hidden.time += row->amount.time;
        hidden.samples += row->amount.samples;
    }
    print_hidden_count(page, &hidden, count, "  ", file);
}

static void print_advice(const struct why_page *page, const char *advice,
                         FILE *file)
{
    if ( !advice )
        return;
    fprintf(file, "%*s", (int)(NUMBERS_WIDTH + DOMAIN_INDENT), "> ");
    wrap_print(file, advice, NUMBERS_WIDTH + DOMAIN_INDENT,
               page->report->layout->width);
    fputc('\n', file);
}

/* "  of it to walk the guest's page tables", with what can be done, which is
 * said once. */
static void print_parts(const struct why_page *page, enum xen_reason reason,
                        bool advised[PARTS], FILE *file)
{
    for ( unsigned int i = PART_none + 1; i < PARTS; i++ )
    {
        const struct amount *amount = &page->why.parts[reason][i];
        const struct reason_text *part = part_text((enum xen_part)i);
        char *text SCOPE_FREE = must_text("  of it %s", part->words);

        if ( !amount->samples || is_small_amount(page, amount) )
            continue;
        print_amount_line(page, amount, text, COLOUR_GROUP, file);
        print_advice(page, advised[i] ? NULL : part->advice, file);
        advised[i] = true;
    }
}

static void print_reason(const struct why_page *page, enum xen_reason reason,
                         size_t *next, bool advised[PARTS], FILE *file)
{
    print_amount_line(page, &page->why.by_reason[reason],
                      reason_text(reason)->words, COLOUR_GROUP, file);
    print_reason_rows(page, reason, next, file);
    print_parts(page, reason, advised, file);
    print_advice(page, why_advice(page, reason), file);
}

static void print_why_reasons(const struct why_page *page, FILE *file)
{
    const struct why *why = &page->why;
    struct amount hidden = {0};
    size_t shown = 0, next = 0;
    bool advised[PARTS] = {false};

    fprintf(file,
            "percent  of xen %10s  why, for whom, and the hottest functions\n",
            type_column(page->report->loaded));
    for ( ; shown < why->reasons; shown++ )
    {
        enum xen_reason reason = why->order[shown];

        if ( is_small_amount(page, &why->by_reason[reason]) )
            break;
        print_reason(page, reason, &next, advised, file);
    }
    for ( size_t i = shown; i < why->reasons; i++ )
    {
        hidden.time += why->by_reason[why->order[i]].time;
        hidden.samples += why->by_reason[why->order[i]].samples;
    }
    print_hidden_count(page, &hidden, why->reasons - shown, "", file);
}

static void print_why(const struct report *report, FILE *file)
{
    struct why_page page;
    struct profile profile;
    char *sum SCOPE_FREE = NULL;

    why_page_init(&page, report);
    profile = why_profile(&page);
    sum = why_sum(&page);
    header_print(report, &profile, file);
    fputc('\n', file);
    wrap_print(file, sum, 0, report->layout->width);
    fputc('\n', file);
    fputc('\n', file);
    if ( amount_any(&page.why.xen) )
    {
        print_why_reasons(&page, file);
        fputc('\n', file);
    }
    header_end(report, &profile, file);
    why_page_free(&page);
}

static void put_why_amount(struct json *json, const struct why_page *page,
                           const struct amount *amount)
{
    json_put_number(json, "samples", amount->samples);
    json_put_number(json, type_member(page->report->loaded), amount->time);
}

static void put_why_functions(struct json *json, const struct why_page *page,
                              const struct why_row *row)
{
    json_begin_array(json, "functions");
    for ( size_t i = 0; i < WHY_TOP && row->top[i]; i++ )
    {
        const struct why_function *function = row->top[i];
        char *name SCOPE_FREE = frame_symbol(
            &page->texts,
            stacks_frame(page->report->stacks, function->key.frame));

        json_object_begin_flat(json);
        json_put_text(json, "symbol", name);
        put_why_amount(json, page, &function->amount);
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_why_row(struct json *json, const struct why_page *page,
                        const struct why_row *row)
{
    const struct loaded *loaded = page->report->loaded;
    const struct loaded_domain *domain = loaded_domain(loaded, row->key.domain);

    json_object_begin(json);
    json_put_domain(json, loaded, domain);
    put_why_amount(json, page, &row->amount);
    put_why_functions(json, page, row);
    json_object_end(json);
}

/* The rows of a reason, from the first that was not put yet. */
static void put_why_rows(struct json *json, const struct why_page *page,
                         enum xen_reason reason, size_t *next)
{
    const struct why *why = &page->why;

    json_begin_array(json, "rows");
    for ( ; *next < why->rows.count &&
            why->sorted[*next]->key.reason == (uint32_t)reason;
          ++*next )
        put_why_row(json, page, why->sorted[*next]);
    json_array_end(json);
}

/* What Xen did on its way: those that there are. */
static void put_parts(struct json *json, const struct why_page *page,
                      enum xen_reason reason)
{
    json_begin_array(json, "parts");
    for ( unsigned int i = PART_none + 1; i < PARTS; i++ )
    {
        const struct reason_text *text = part_text((enum xen_part)i);

        if ( !page->why.parts[reason][i].samples )
            continue;
        json_object_begin_flat(json);
        json_put_text(json, "part", text->name);
        json_put_text(json, "text", text->words);
        json_put_text(json, "advice", text->advice);
        put_why_amount(json, page, &page->why.parts[reason][i]);
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_why_reasons(struct json *json, const struct why_page *page)
{
    const struct why *why = &page->why;
    size_t next = 0;

    json_begin_array(json, "reasons");
    for ( size_t i = 0; i < why->reasons; i++ )
    {
        const struct reason_text *text = reason_text(why->order[i]);

        json_object_begin(json);
        json_put_text(json, "reason", text->name);
        json_put_text(json, "text", text->words);
        json_put_text(json, "advice", why_advice(page, why->order[i]));
        json_put_bool(json, "known", reason_is_known(why->order[i]));
        put_why_amount(json, page, &why->by_reason[why->order[i]]);
        put_parts(json, page, why->order[i]);
        put_why_rows(json, page, why->order[i], &next);
        json_object_end(json);
    }
    json_array_end(json);
}

static bool put_finding(struct json *json, const struct why_page *page,
                        const struct why_finding *finding)
{
    const struct loaded *loaded = page->report->loaded;
    const struct loaded_domain *domain = loaded_domain(loaded,
                                                       finding->key.domain);
    enum xen_reason reason = (enum xen_reason)finding->key.reason;
    char *caller SCOPE_FREE = NULL;

    if ( finding->caller != FRAME_NONE )
        caller = frame_symbol(
            &page->texts, stacks_frame(page->report->stacks, finding->caller));
    json_object_begin_flat(json);
    json_put_domain(json, loaded, domain);
    json_put_text(json, "finding",
                  reason ? reason_text(reason)->name : "spin_locks");
    json_put_text(json, "caller", caller);
    put_why_amount(json, page, &finding->amount);
    json_object_end(json);
    return caller || finding->caller == FRAME_NONE;
}

static void put_findings(struct json *json, const struct why_page *page)
{
    struct findings findings;

    findings_build(&findings, page->report->loaded, page->report->stacks);
    json_begin_array(json, "findings");
    for ( size_t i = 0; i < findings.count; i++ )
        put_finding(json, page, findings.found[i]);
    json_array_end(json);
    findings_free(&findings);
}

static void put_sum(struct json *json, const struct why_page *page,
                    const char *key, const struct amount *amount)
{
    json_key(json, key);
    json_object_begin_flat(json);
    put_why_amount(json, page, amount);
    json_object_end(json);
}

static void print_why_json(const struct report *report, FILE *file)
{
    struct why_page page;
    struct profile profile;
    struct json json;

    why_page_init(&page, report);
    profile = why_profile(&page);
    json_begin_report(&json, report, &profile, file);
    json_put_selection(&json, report, &profile);
    put_sum(&json, &page, "xen", &page.why.xen);
    put_sum(&json, &page, "known", &page.why.known);
    json_put_number(&json, "not_profiled_ns", page.why.other);
    put_why_reasons(&json, &page);
    put_findings(&json, &page);
    json_end_report(&json);
    why_page_free(&page);
}

const struct view view_why = {
    .print = print_why,
    .print_json = print_why_json,
    .expect = why_expect,
    .option = "why",
    .what = "why Xen ran, for whom, and what to do about it",
    .stacks = true,
};

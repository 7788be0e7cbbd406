/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "why-text.h"

#include "base/must.h"
#include "header-line.h"
#include "base/scope.h"
#include "report/model/domain-text.h"
#include "report/model/format.h"
#include "report/types/type-text.h"
#include "report/waits/waits.h"

#include <stdlib.h>

#define PERCENT_THEIRS 10.0 /* of a reason's time, for advice to guests */

enum exit_status why_expect(const struct report *report,
                            struct failure *failure)
{
    if ( report->stacks->detail != FRAMES_BY_IMAGE )
        return STATUS_DONE;
    return fail(failure, STATUS_USAGE,
                "--why knows reasons by functions: add symbol to --sort, or "
                "leave --sort out");
}

void why_page_init(struct why_page *page, const struct report *report)
{
    *page = (struct why_page){.report = report};
    why_build(&page->why, report->loaded, report->stacks);
    frame_texts_init(&page->texts, report->loaded, report->stacks);
}

void why_page_free(struct why_page *page)
{
    frame_texts_free(&page->texts);
    why_free(&page->why);
}

struct profile why_profile(const struct why_page *page)
{
    return (struct profile){.samples = page->why.shown.samples,
                            .time = page->why.shown.time,
                            .time_all = page->why.time_all};
}

/* Dom0 is no guest; nor is the idle vCPU. */
static bool is_guest(const struct loaded *loaded, uint32_t domain)
{
    const struct domain_key *key = &loaded_domain(loaded, domain)->key;

    return key->number && key->number != DOMAIN_NUMBER_IDLE;
}

const char *why_advice(const struct why_page *page, enum xen_reason reason)
{
    const struct reason_text *text = reason_text(reason);
    uint64_t guests = 0;

    for ( size_t i = 0; i < page->why.rows.count; i++ )
    {
        const struct why_row *row = page->why.sorted[i];

        if ( row->key.reason == (uint32_t)reason &&
             is_guest(page->report->loaded, row->key.domain) )
            guests += row->amount.time;
    }
    return text->guests &&
                   percent_of(guests, page->why.by_reason[reason].time) <
                       PERCENT_THEIRS
               ? NULL
               : text->advice;
}

char *why_functions(const struct why_page *page, const struct why_row *row)
{
    char *text = NULL;
    size_t size;
    FILE *memory = must(open_memstream(&text, &size));

    for ( size_t i = 0; i < WHY_TOP && row->top[i]; i++ )
    {
        const struct why_function *function = row->top[i];
        char *name SCOPE_FREE = frame_text(
            &page->texts,
            stacks_frame(page->report->stacks, function->key.frame));

        fprintf(memory, "%s%s %.0f%%", i ? ", " : "", name,
                percent_of(function->amount.time, row->amount.time));
    }
    return format_close(memory, &text);
}

char *why_reason(const struct why_page *page, enum xen_reason reason)
{
    const struct why *why = &page->why;
    enum xen_part part = why_most_of(why, reason);
    const char *words = reason_text(reason)->words;

    return part == PART_none
               ? must_text("%s", words)
               : must_text("%s, %.0f%% %s", words,
                           percent_of(why->parts[reason][part].time,
                                      why->by_reason[reason].time),
                           part_text(part)->words);
}

char *why_domain(const struct why_page *page, const struct why_row *row)
{
    return domain_text(page->report->loaded, row->key.domain);
}

/* What is to be known of the sum's truth. */
static char *sum_remark(const struct why_page *page)
{
    const struct why *why = &page->why;
    const struct loaded *loaded = page->report->loaded;

    if ( !loaded->stacked )
        return must_text("; no stacks were recorded (xenopctl --start "
                         "--stacks does), so few reasons can be known");
    if ( why->other )
        return must_text("; %.2f%% are of domains that are not profiled, "
                         "where Xen's part is not known",
                         percent_of(why->other, why->time_all));
    return must_text("%s", "");
}

char *why_sum(const struct why_page *page)
{
    const struct why *why = &page->why;
    char *time SCOPE_FREE = type_amount(page->report->loaded, why->xen.time);
    char *remark SCOPE_FREE = sum_remark(page);

    if ( !amount_any(&why->xen) )
        return must_text("No sample fell into Xen%s", remark);
    return must_text("Xen ran for %.2f%% of all %s (%s); why, or its way in, "
                     "is known for %.1f%% of that%s",
                     percent_of(why->xen.time, why->time_all),
                     type_whole(page->report->loaded), time,
                     percent_of(why->known.time, why->xen.time), remark);
}

static void print_verdict_line(const struct report *report,
                               const struct verdict *verdict, size_t at,
                               FILE *file)
{
    const bool trust = verdict->line_count && verdict->lines[0].trust;
    const size_t others = verdict->line_count - trust;
    struct header_line line = header_line_begin(report, file);
    char title[16];

    /* "1" of several, which are told apart by that. */
    if ( verdict->lines[at].trust )
        snprintf(title, sizeof(title), "trust");
    else if ( others > 1 )
        snprintf(title, sizeof(title), "%-7s %zu", at == trust ? "verdict" : "",
                 at - trust + 1);
    else
        snprintf(title, sizeof(title), "verdict");
    header_line_add(&line, "%s", verdict->lines[at].text);
    header_line_end(&line, title);
}

void verdict_print(const struct report *report, FILE *file)
{
    struct verdict verdict;

    verdict_build(&verdict, report);
    for ( size_t i = 0; i < verdict.line_count; i++ )
        print_verdict_line(report, &verdict, i, file);
    verdict_free(&verdict);
}

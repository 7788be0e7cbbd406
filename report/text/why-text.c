/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "why-text.h"

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

bool why_page_init(struct why_page *page, const struct report *report)
{
    *page = (struct why_page){.report = report};
    return why_build(&page->why, report->loaded, report->stacks) &&
           frame_texts_init(&page->texts, report->loaded, report->stacks);
}

void why_page_free(struct why_page *page)
{
    frame_texts_free(&page->texts);
    why_free(&page->why);
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
                   why_percent(guests, page->why.by_reason[reason].time) <
                       PERCENT_THEIRS
               ? NULL
               : text->advice;
}

char *why_functions(const struct why_page *page, const struct why_row *row)
{
    char *text = NULL;
    size_t size;
    FILE *memory = open_memstream(&text, &size);
    bool done = memory;

    for ( size_t i = 0; done && i < WHY_TOP && row->top[i]; i++ )
    {
        const struct why_function *function = row->top[i];
        char *name SCOPE_FREE = frame_text(
            &page->texts,
            stacks_frame(page->report->stacks, function->key.frame));

        done = name;
        if ( name )
            fprintf(memory, "%s%s %.0f%%", i ? ", " : "", name,
                    why_percent(function->amount.time, row->amount.time));
    }
    if ( memory && fclose(memory) )
        done = false;
    if ( done )
        return text;
    free(text);
    return NULL;
}

char *why_reason(const struct why_page *page, enum xen_reason reason)
{
    const struct why *why = &page->why;
    enum xen_part part = why_most_of(why, reason);
    const char *words = reason_text(reason)->words;

    return part == PART_none
               ? format_text("%s", words)
               : format_text("%s, %.0f%% %s", words,
                             why_percent(why->parts[reason][part].time,
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
        return format_text("; no stacks were recorded (xenopctl --start "
                           "--stacks does), so few reasons can be known");
    if ( why->other )
        return format_text("; %.2f%% are of domains that are not profiled, "
                           "where Xen's part is not known",
                           why_percent(why->other, why->time_all));
    return format_text("%s", "");
}

char *why_sum(const struct why_page *page)
{
    const struct why *why = &page->why;
    char *time SCOPE_FREE = type_amount(page->report->loaded, why->xen.time);
    char *remark SCOPE_FREE = sum_remark(page);

    if ( !time || !remark )
        return NULL;
    if ( !why->xen.samples )
        return format_text("No sample fell into Xen%s", remark);
    return format_text("Xen ran for %.2f%% of all %s (%s); why, or its way in, "
                       "is known for %.1f%% of that%s",
                       why_percent(why->xen.time, why->time_all),
                       type_whole(page->report->loaded), time,
                       why_percent(why->known.time, why->xen.time), remark);
}

double finding_ready(const struct report *report,
                     const struct why_finding *finding)
{
    const struct domain_key *key =
        &loaded_domain(report->loaded, finding->key.domain)->key;
    struct vcpu_times times = {.span = 0};

    waits_add_domain(&report->loaded->waits, key->uuid, key->number, &times);
    return waits_percent(&times, waits_ready(&times));
}

/* Who was not let run may have been the one with the lock. */
static char *holders_text(const struct report *report,
                          const struct why_finding *finding)
{
    double ready = finding_ready(report, finding);

    if ( finding->key.reason || ready <= WAITS_MARKED )
        return format_text("%s", "");
    return format_text("; a holder may be preempted (waits: %.1f%%)", ready);
}

/* A caller may be the largest of many, and small. */
static const char *caller_words(const struct why_finding *finding)
{
    if ( finding->caller == FRAME_NONE )
        return "";
    return finding->caller_time >= finding->amount.time / 2
               ? ", mostly for "
               : ", most often for ";
}

char *finding_text(const struct report *report, const struct frame_texts *texts,
                   const struct findings *findings,
                   const struct why_finding *finding)
{
    enum xen_reason reason = (enum xen_reason)finding->key.reason;
    char *domain SCOPE_FREE = domain_text(report->loaded, finding->key.domain);
    char *holders SCOPE_FREE = holders_text(report, finding);
    char *caller SCOPE_FREE = NULL;
    bool named = finding->caller != FRAME_NONE;

    if ( named )
        caller = frame_text(texts,
                            stacks_frame(report->stacks, finding->caller));
    if ( !domain || !holders || (named && !caller) )
        return NULL;
    return format_text("%s, %.2f%%: %s%s%s%s", domain,
                       why_percent(finding->amount.time, findings->time_all),
                       reason == REASON_none ? FINDING_SPINS
                                             : reason_text(reason)->words,
                       caller_words(finding), named ? caller : "", holders);
}

static bool print_found(const struct report *report,
                        const struct findings *findings,
                        const struct frame_texts *texts, FILE *file)
{
    for ( size_t i = 0; i < findings->count && i < VERDICTS_SHOWN; i++ )
    {
        struct header_line line = header_line_begin(report, file);
        char *text SCOPE_FREE = finding_text(report, texts, findings,
                                             findings->found[i]);

        if ( text )
            header_line_add(&line, "%s", text);
        if ( !header_line_end(&line, i ? "" : "verdict") || !text )
            return false;
    }
    return true;
}

/* Functions are what tells reasons and locks. */
static bool is_known(const struct report *report)
{
    return report->query->needs_stacks &&
           report->stacks->detail != FRAMES_BY_IMAGE;
}

bool findings_of(struct findings *findings, const struct report *report)
{
    *findings = (struct findings){.count = 0};
    return !is_known(report) ||
           findings_build(findings, report->loaded, report->stacks);
}

bool verdict_print(const struct report *report, FILE *file)
{
    struct frame_texts texts = {.loaded = NULL};
    struct findings findings;
    bool done = findings_of(&findings, report);

    if ( done && findings.count )
    {
        done = frame_texts_init(&texts, report->loaded, report->stacks) &&
               print_found(report, &findings, &texts, file);
        frame_texts_free(&texts);
    }
    findings_free(&findings);
    return done;
}

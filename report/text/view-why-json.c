/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --why with --json: xenopreport-json(5) describes the object.
 */
#include "json-members.h"
#include "json-session.h"
#include "why-text.h"
#include "base/scope.h"
#include "report/model/domain-text.h"
#include "report/types/type-text.h"

#include <stdlib.h>

#define JSON_VERSION 1

static void put_why_amount(struct json *json, const struct why_page *page,
                           const struct amount *amount)
{
    json_put_number(json, "samples", amount->samples);
    json_put_number(json, type_member(page->report->loaded), amount->time);
}

static void put_why_functions(struct json *json, const struct why_page *page,
                              const struct why_row *row)
{
    json_key(json, "functions");
    json_array_begin(json);
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
    json_key(json, "domain");
    json_i64(json, domain_number(domain));
    json_put_text(json, "domain_name",
                  names_text(&loaded->names, domain->name));
    put_why_amount(json, page, &row->amount);
    put_why_functions(json, page, row);
    json_object_end(json);
}

/* The rows of a reason, from the first that was not put yet. */
static void put_why_rows(struct json *json, const struct why_page *page,
                         enum xen_reason reason, size_t *next)
{
    const struct why *why = &page->why;

    json_key(json, "rows");
    json_array_begin(json);
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
    json_key(json, "parts");
    json_array_begin(json);
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

    json_key(json, "reasons");
    json_array_begin(json);
    for ( size_t i = 0; i < why->reasons; i++ )
    {
        const struct reason_text *text = reason_text(why->order[i]);

        json_object_begin(json);
        json_put_text(json, "reason", text->name);
        json_put_text(json, "text", text->words);
        json_put_text(json, "advice", why_advice(page, why->order[i]));
        json_key(json, "known");
        json_bool(json, reason_is_known(why->order[i]));
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
    json_key(json, "domain");
    json_i64(json, domain_number(domain));
    json_put_text(json, "domain_name",
                  names_text(&loaded->names, domain->name));
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
    json_key(json, "findings");
    json_array_begin(json);
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

static void put_why_json(struct json *json, const struct why_page *page)
{
    const struct why *why = &page->why;
    const struct profile profile = why_profile(page);

    json_object_begin(json);
    json_put_number(json, "version", JSON_VERSION);
    json_put_session(json, page->report, &profile);
    json_put_selection(json, page->report, &profile);
    put_sum(json, page, "xen", &why->xen);
    put_sum(json, page, "known", &why->known);
    json_put_number(json, "not_profiled_ns", why->other);
    put_why_reasons(json, page);
    put_findings(json, page);
    json_object_end(json);
}

static void print_why_json(const struct report *report, FILE *file)
{
    struct why_page page;
    struct json json;

    why_page_init(&page, report);
    json_init(&json, file);
    put_why_json(&json, &page);
    json_finish(&json);
    why_page_free(&page);
}

const struct view view_why_json = {
    .print = print_why_json,
    .expect = why_expect,
    .stacks = true,
};

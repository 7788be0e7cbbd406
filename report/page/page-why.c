/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-why.h"

#include "base/scope.h"
#include "report/text/json-members.h"

#include <stdlib.h>

/* The domains whose time it was, from row *next on, which is moved behind the
 * reason's. */
static void put_reason_domains(struct json *json, const struct why_page *page,
                               enum xen_reason reason, size_t *next)
{
    const struct why *why = &page->why;

    json_key(json, "domains");
    json_array_begin(json);
    for ( ; *next < why->rows.count &&
            why->sorted[*next]->key.reason == (uint32_t)reason;
          ++*next )
    {
        const struct why_row *row = why->sorted[*next];
        char *functions SCOPE_FREE = why_functions(page, row);

        json_object_begin_flat(json);
        json_put_number(json, "domain", row->key.domain);
        json_put_number(json, "time_ns", row->amount.time);
        json_put_text(json, "functions", functions);
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_page_reasons(struct json *json, const struct why_page *page)
{
    const struct why *why = &page->why;
    size_t next = 0;

    for ( size_t i = 0; i < why->reasons; i++ )
    {
        enum xen_reason reason = why->order[i];
        enum xen_part part = why_most_of(why, reason);
        char *most SCOPE_FREE = part ? why_reason(page, reason) : NULL;

        json_object_begin(json);
        json_put_text(json, "reason", reason_text(reason)->words);
        json_put_text(json, "most", most);
        json_put_number(json, "time_ns", why->by_reason[reason].time);
        json_put_text(json, "advice",
                      part ? part_text(part)->advice
                           : why_advice(page, reason));
        put_reason_domains(json, page, reason, &next);
        json_object_end(json);
    }
}

/* As the first lines of a text have it. */
static void put_verdict_lines(struct json *json, const struct report *report)
{
    struct verdict verdict;

    verdict_build(&verdict, report);
    json_key(json, "verdict");
    json_array_begin(json);
    for ( size_t i = 0; i < verdict.line_count; i++ )
    {
        json_object_begin_flat(json);
        json_key(json, "trust");
        json_bool(json, verdict.lines[i].trust);
        json_put_text(json, "text", verdict.lines[i].text);
        json_object_end(json);
    }
    json_array_end(json);
    verdict_free(&verdict);
}

void page_why_put(struct json *json, const struct why_page *page)
{
    put_verdict_lines(json, page->report);
    json_key(json, "why");
    json_array_begin(json);
    put_page_reasons(json, page);
    json_array_end(json);
}

uint32_t page_why_number(const struct why_page *page, enum xen_reason reason)
{
    for ( uint32_t i = 0; i < page->why.reasons; i++ )
        if ( page->why.order[i] == reason )
            return i + 1;
    return 0;
}

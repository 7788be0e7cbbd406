/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "page-why.h"

#include "base/scope.h"
#include "report/text/json-members.h"
#include "report/why/findings.h"
#include "report/why/verdict.h"

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
        json_put_text(json, "name", reason_text(reason)->name);
        json_put_text(json, "reason", reason_text(reason)->words);
        json_put_text(json, "most", most);
        json_put_number(json, "time_ns", why->by_reason[reason].time);
        json_put_bool(json, "avoidable", reason_is_avoidable(reason));
        json_put_text(json, "advice",
                      part ? part_text(part)->advice
                           : why_advice(page, reason));
        put_reason_domains(json, page, reason, &next);
        json_object_end(json);
    }
}

void page_why_put(struct json *json, const struct why_page *page)
{
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

static void put_rule(struct json *json, const struct verdict_rule *rule)
{
    json_key(json, rule->name);
    json_object_begin_flat(json);
    json_put_number(json, "rank", rule->rank);
    json_key(json, "least");
    json_double(json, rule->least);
    json_put_text(json, "sentence", rule->sentence);
    json_put_text(json, "command", rule->command);
    json_object_end(json);
}

static void put_rules(struct json *json)
{
    static const struct verdict_rule rules[] = {
#define VERDICT(name, rank, least, sentence, command)                          \
    {#name, VERDICT_##rank, least, sentence, command},
#include "report/why/verdict-rules.def"
#undef VERDICT
    };

    json_key(json, "rules");
    json_object_begin(json);
    for ( size_t i = 0; i < sizeof(rules) / sizeof(rules[0]); i++ )
        put_rule(json, &rules[i]);
    json_object_end(json);
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
        const struct verdict_line *line = &verdict.lines[i];

        json_object_begin_flat(json);
        json_put_bool(json, "trust", line->trust);
        json_put_text(json, "rule", line->item->rule->name);
        json_key(json, "percent");
        json_double(json, line->item->percent);
        json_put_text(json, "text", line->text);
        json_object_end(json);
    }
    json_array_end(json);
    verdict_free(&verdict);
}

/* The page's numbers of the kernels' functions that have a role. */
static void put_frames(struct json *json, const struct report *report,
                       const struct page_nodes *nodes, const char *key,
                       enum lock_role role)
{
    json_key(json, key);
    json_array_begin_flat(json);
    for ( size_t i = 0; i < nodes->frame_count; i++ )
        if ( lock_role_of(report->loaded,
                          stacks_frame(report->stacks, nodes->frames[i])) ==
             role )
            json_u64(json, i);
    json_array_end(json);
}

static void put_guests(struct json *json, const struct loaded *loaded)
{
    json_key(json, "guests");
    json_array_begin_flat(json);
    for ( uint32_t i = 0; i < loaded->domains.count; i++ )
        if ( findings_of_guest(loaded, i) )
            json_u64(json, i);
    json_array_end(json);
}

void page_verdict_put(struct json *json, const struct report *report,
                      const struct page_nodes *nodes)
{
    put_verdict_lines(json, report);
    json_key(json, "findings");
    json_object_begin(json);
    put_rules(json);
    json_put_number(json, "most", FINDINGS_MOST);
    json_put_number(json, "lines", VERDICT_LINES);
    put_guests(json, report->loaded);
    put_frames(json, report, nodes, "spins", ROLE_SPIN);
    put_frames(json, report, nodes, "interrupts", ROLE_INTERRUPT);
    json_object_end(json);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "verdict.h"

#include "base/must.h"
#include "verdict-measures.h"
#include "base/scope.h"
#include "report/model/format.h"

#include <stdlib.h>
#include <string.h>

static const struct {
    struct verdict_rule rule;
    void (*measure)(struct measured *measured, const struct verdict_rule *rule);
} rules[] = {
#define VERDICT(name, rank, least, sentence, command)                          \
    {{#name, VERDICT_##rank, least, sentence, command}, measure_##name},
#include "verdict-rules.def"
#undef VERDICT
};

#define RULES (sizeof(rules) / sizeof(rules[0]))

_Static_assert(RULES + FINDINGS_MOST <= VERDICT_ITEMS,
               "each finding, and one of each other rule, has room");

/* Functions are what reasons and locks are known by. */
static bool knows_functions(const struct report *report)
{
    return report->query->needs_stacks &&
           report->stacks->detail != FRAMES_BY_IMAGE;
}

static void measure_session(struct measured *measured)
{
    const struct loaded *loaded = measured->loaded;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
        measured->time_all +=
            ((struct cell *)table_at(&loaded->cells, i))->time;
    if ( measured->stacks )
    {
        findings_build(&measured->findings, loaded, measured->stacks);
        frame_texts_init(&measured->texts, loaded, measured->stacks);
    }
    for ( size_t i = 0; i < RULES; i++ )
        rules[i].measure(measured, &rules[i].rule);
}

/* All that makes numbers less certain, in one line. */
static char *trust_text(const struct verdict *verdict, size_t *count)
{
    char *text = must(strdup(""));

    for ( *count = 0; *count < verdict->items.count &&
                      verdict->items.item[*count].rule->rank == VERDICT_TRUST;
          ++*count )
    {
        char *before SCOPE_FREE = text;

        text = must_text("%s%s%s", before, *before ? "; " : "",
                         verdict->items.item[*count].text);
    }
    return text;
}

static void add_verdict_line(struct verdict *verdict, bool trust,
                             const char *text, const struct verdict_item *item)
{
    struct verdict_line *line = &verdict->lines[verdict->line_count];

    *line = (struct verdict_line){trust, item,
                                  must_text("%s (%s)", text, item->command)};
    verdict->line_count++;
}

static void make_lines(struct verdict *verdict)
{
    size_t at;
    char *trust SCOPE_FREE = trust_text(verdict, &at);

    if ( at )
        add_verdict_line(verdict, true, trust, &verdict->items.item[0]);
    for ( ; at < verdict->items.count && verdict->line_count < VERDICT_LINES;
          at++ )
        add_verdict_line(verdict, false, verdict->items.item[at].text,
                         &verdict->items.item[at]);
}

void verdict_build(struct verdict *verdict, const struct report *report)
{
    struct measured measured = {
        .items = &verdict->items,
        .loaded = report->loaded,
        .stacks = knows_functions(report) ? report->stacks : NULL};

    *verdict = (struct verdict){.line_count = 0};
    measure_session(&measured);
    make_lines(verdict);
    if ( measured.stacks )
    {
        findings_free(&measured.findings);
        frame_texts_free(&measured.texts);
    }
}

void verdict_free(struct verdict *verdict)
{
    verdict_items_free(&verdict->items);
    for ( size_t i = 0; i < verdict->line_count; i++ )
        free(verdict->lines[i].text);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --brief-json: what the first screen says, for scripts; xenopreport-json(5)
 * describes the object.
 */
#include "json-members.h"
#include "cost-text.h"
#include "why-text.h"
#include "base/scope.h"
#include "report/model/domain-text.h"
#include "report/model/format.h"
#include "report/types/type-text.h"
#include "report/why/asked.h"
#include "report/why/hot.h"
#include "libxenoprof/session/session-attributes.h"

#include <math.h>
#include <stdlib.h>

#define JSON_VERSION   1
#define FUNCTIONS_MOST 20u
#define UTC_DIGITS     3u
#define PER_PERCENT    10000.0 /* what percentages are rounded to */

static void put_time_share(struct json *json, uint64_t time, uint64_t all)
{
    json_put_rounded(json, "percent", percent_of(time, all), PER_PERCENT);
}

static void put_session_facts(struct json *json, const struct report *report,
                              uint64_t time_all)
{
    const struct loaded *loaded = report->loaded;
    char start[CLOCK_TEXT];

    clock_format_utc(clocks_utc(&loaded->clocks, loaded->clocks.start),
                     UTC_DIGITS, start);
    json_key(json, "session");
    json_object_begin(json);
    json_put_text(json, "name", report->name);
    json_put_text(json, SESSION_ATTRIBUTE_HOST,
                  loaded_attribute(loaded, SESSION_ATTRIBUTE_HOST));
    json_put_text(json, "start", loaded->clocks.utc_known ? start : NULL);
    json_put_number(json, "duration_ns", loaded_since(loaded, loaded->last));
    json_put_bool(json, "open", !loaded->closed);
    json_put_number(json, "made", loaded_made(loaded));
    json_put_number(json, "read", loaded->read);
    json_put_number(json, "lost",
                    loaded_lost_all(loaded) + loaded_unreadable(loaded));
    json_put_number(json, "pcpu_time_ns", cost_whole(loaded, time_all));
    json_object_end(json);
}

static void put_verdict_item(struct json *json, const struct loaded *loaded,
                             const struct verdict_item *item)
{
    json_object_begin_flat(json);
    json_put_text(json, "finding", item->rule->name);
    json_put_text(json, "rank", verdict_rank_name(item->rule->rank));
    json_put_domain(json, loaded,
                    item->domain == VERDICT_NOBODYS
                        ? NULL
                        : loaded_domain(loaded, item->domain));
    json_put_rounded(json, "percent", item->percent > 0 ? item->percent : NAN,
                     PER_PERCENT);
    json_put_text(json, "text", item->text);
    json_put_text(json, "command", item->command);
    json_object_end(json);
}

/* All that was found, also what the lines have no room for. */
static void put_verdict_items(struct json *json, const struct report *report)
{
    struct verdict verdict;

    verdict_build(&verdict, report);
    json_begin_array(json, "verdict");
    for ( size_t i = 0; i < verdict.items.count; i++ )
        put_verdict_item(json, report->loaded, &verdict.items.item[i]);
    json_array_end(json);
    verdict_free(&verdict);
}

/* Numbers that are not known become null. */
static void put_waited(struct json *json, const struct loaded *loaded,
                       const struct domain_key *key)
{
    struct vcpu_times times = {.span = 0};

    waits_add_domain(&loaded->waits, key->uuid, key->number, &times);
    json_put_rounded(json, "waited_percent",
                     times.span ? waits_percent(&times, waits_ready(&times))
                                : NAN,
                     PER_PERCENT);
}

static void put_domain_share(struct json *json, const struct loaded *loaded,
                             const struct profile *domains,
                             const struct row *row)
{
    uint32_t index = (uint32_t)row->key.value[LABEL_DOMAIN];
    const struct loaded_domain *domain = loaded_domain(loaded, index);

    json_object_begin_flat(json);
    json_put_domain(json, loaded, domain);
    json_put_number(json, type_member(loaded), row->time);
    put_time_share(json, row->time, domains->time_all);
    json_key(json, "by_mode");
    json_object_begin_flat(json);
    for ( unsigned int mode = 0; mode < XENOPROF_MODES; mode++ )
        json_put_number(json, xenoprof_mode_name((enum xenoprof_mode)mode),
                        row->time_by_mode[mode]);
    json_object_end(json);
    put_waited(json, loaded, &domain->key);
    json_put_number(json, "profiler_ns", own_cost_of(loaded, index));
    json_object_end(json);
}

static void put_domain_shares(struct json *json, const struct report *report,
                              const struct profile *domains)
{
    json_begin_array(json, "domains");
    for ( size_t i = 0; i < domains->count; i++ )
        put_domain_share(json, report->loaded, domains, domains->sorted[i]);
    json_array_end(json);
}

static void put_hot_function(struct json *json, const struct report *report,
                             const struct frame_texts *texts,
                             const struct hot *hot, const struct hot_row *row)
{
    const struct frame *frame = stacks_frame(report->stacks, row->key.frame);
    char *symbol SCOPE_FREE = frame_symbol(texts, frame);

    json_object_begin_flat(json);
    json_put_text(json, "mode", frame_mode(frame));
    json_put_text(json, "image",
                  names_text(&report->loaded->names, frame->key.image));
    json_put_text(json, "symbol", symbol);
    json_put_number(json, "samples", row->amount.samples);
    json_put_number(json, type_member(report->loaded), row->amount.time);
    put_time_share(json, row->amount.time, hot->time_all);
    json_object_end(json);
}

static void put_hot_functions(struct json *json, const struct report *report)
{
    struct frame_texts texts = {.loaded = NULL};
    struct hot hot;

    hot_build(&hot, report->loaded, report->stacks);
    frame_texts_init(&texts, report->loaded, report->stacks);
    json_begin_array(json, "functions");
    for ( size_t i = 0; i < hot.rows.count && i < FUNCTIONS_MOST; i++ )
        put_hot_function(json, report, &texts, &hot, hot.sorted[i]);
    json_array_end(json);
    frame_texts_free(&texts);
    hot_free(&hot);
}

static void print_brief_json(const struct report *report, FILE *file)
{
    struct profile domains;
    struct json json;

    profile_by_domain(&domains, report->loaded);
    json_init(&json, file);
    json_object_begin(&json);
    json_put_number(&json, "version", JSON_VERSION);
    put_session_facts(&json, report, domains.time_all);
    json_put_filter(&json, &report->query->selection);
    put_verdict_items(&json, report);
    put_domain_shares(&json, report, &domains);
    put_hot_functions(&json, report);
    json_object_end(&json);
    json_finish(&json);
    profile_free(&domains);
}

const struct view view_brief_json = {
    .print = print_brief_json,
    .option = "brief-json",
    .what = "the first screen as one small JSON object, for scripts",
    .stacks = true,
    .pruned = &overview_asks,
};

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --exits with --json: xenopreport-json(5) describes the object.
 */
#include "waits-text.h"
#include "report/text/json-members.h"
#include "report/text/json-session.h"

#include <stdlib.h>

#define JSON_VERSION 1

static void put_exit_amount(struct json *json, const struct exit_amount *amount)
{
    json_put_number(json, "count", amount->count);
    json_put_number(json, "xen_ns", amount->in_xen);
    json_put_number(json, "shortest_ns", amount->shortest);
    json_put_number(json, "longest_ns", amount->longest);
    json_put_number(json, "away_ns", amount->away);
}

static void put_exit(struct json *json, const struct loaded *loaded,
                     const struct exit_row *row)
{
    json_object_begin_flat(json);
    json_put_text(json, "exit", names_text(&loaded->names, row->key.name));
    put_exit_amount(json, &row->amount);
    json_object_end(json);
}

/* Returns the first row of the next domain. */
static size_t put_exits_domain(struct json *json, const struct loaded *loaded,
                               const struct exit_row *const *rows, size_t at)
{
    const struct exit_times *times = &loaded->exits;
    const struct exit_domain *domain = exit_domain_of(times, rows[at]);

    json_object_begin(json);
    json_put_number(json, "domain", domain->key.domain);
    json_put_text(json, "domain_name",
                  waits_name_of(loaded, domain->key.uuid, domain->key.domain));
    put_exit_amount(json, &domain->amount);
    json_key(json, "exits");
    json_array_begin(json);
    while ( at < times->rows.count &&
            exit_domain_of(times, rows[at]) == domain )
        put_exit(json, loaded, rows[at++]);
    json_array_end(json);
    json_object_end(json);
    return at;
}

static void put_exits_json(struct json *json, const struct report *report,
                           const struct profile *profile,
                           const struct exit_row *const *rows)
{
    const struct loaded *loaded = report->loaded;

    json_object_begin(json);
    json_put_number(json, "version", JSON_VERSION);
    json_put_session(json, report, profile);
    json_key(json, "domains");
    json_array_begin(json);
    for ( size_t at = 0; at < loaded->exits.rows.count; )
        at = put_exits_domain(json, loaded, rows, at);
    json_array_end(json);
    json_object_end(json);
}

static void print_exits_json(const struct report *report, FILE *file)
{
    const struct exit_row **rows;
    struct profile profile = {.time_all = 0};
    struct json json;

    exit_times_sorted(&report->loaded->exits, &rows);
    profile_by_domain(&profile, report->loaded);
    json_init(&json, file);
    put_exits_json(&json, report, &profile, rows);
    json_finish(&json);
    profile_free(&profile);
    free(rows);
}

const struct view view_exits_json = {
    .print = print_exits_json,
    .expect = exits_expect,
    .accounts = true,
};

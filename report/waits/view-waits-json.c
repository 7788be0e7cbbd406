/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --waits with --json: xenopreport-json(5) describes the object.
 */
#include "waits-text.h"
#include "report/text/json-members.h"
#include "report/text/json-session.h"
#include "base/scope.h"

#include <stdlib.h>

#define JSON_VERSION 1
#define TAKERS_MAX   64u

static void put_vcpu_times(struct json *json, const struct vcpu_times *times)
{
    json_put_number(json, "known_ns", times->span);
    json_put_number(json, "running_ns", times->running);
    json_put_number(json, "runnable_ns", times->runnable);
    json_put_number(json, "capped_ns", times->capped);
    json_put_number(json, "blocked_ns", times->blocked);
    json_put_number(json, "device_ns", times->device);
    json_put_number(json, "paused_ns", times->paused);
    json_key(json, "marked");
    json_bool(json, waits_marked(times));
}

static void put_vcpu(struct json *json, const struct waiting_vcpu *vcpu)
{
    json_object_begin_flat(json);
    json_put_number(json, "vcpu", vcpu->key.vcpu);
    json_put_number(json, "there_ns", vcpu->to - vcpu->from);
    put_vcpu_times(json, &vcpu->times);
    json_object_end(json);
}

/* Returns the first row of the next domain. */
static size_t put_waits_domain(struct json *json, const struct loaded *loaded,
                               const struct waits_row *rows, size_t at)
{
    const struct waiting_domain *domain = rows[at].domain;

    json_object_begin(json);
    json_put_number(json, "domain", domain->key.domain);
    json_put_text(json, "domain_name",
                  names_text(&loaded->names, domain->name));
    put_vcpu_times(json, &domain->times);
    json_key(json, "vcpus");
    json_array_begin(json);
    for ( ; rows[at].domain == domain; at++ )
        put_vcpu(json, rows[at].vcpu);
    json_array_end(json);
    json_object_end(json);
    return at;
}

static void put_taker(struct json *json, const struct loaded *loaded,
                      const struct taker_row *taker)
{
    bool nobody = taker->key.by == XENOPROF_NOBODY;

    json_object_begin_flat(json);
    if ( nobody )
        json_put_text(json, "domain", NULL);
    else
        json_put_number(json, "domain", taker->key.by);
    json_put_text(
        json, "domain_name",
        nobody ? NULL : waits_name_of(loaded, taker->key.uuid, taker->key.by));
    json_put_number(json, "sum_ns", taker->sum);
    json_object_end(json);
}

static void put_lengths(struct json *json, const struct loaded *loaded,
                        const struct length_row *row)
{
    const struct taker_row *takers[TAKERS_MAX];
    size_t count = lengths_takers(&loaded->lengths, row, takers, TAKERS_MAX);

    json_object_begin(json);
    json_put_number(json, "domain", row->key.domain);
    json_put_text(json, "domain_name",
                  waits_name_of(loaded, row->key.uuid, row->key.domain));
    json_put_number(json, "vcpu", row->key.vcpu);
    json_put_text(json, "since",
                  row->key.why == XENOPROF_WOKEN ? "woken" : "preempted");
    json_put_number(json, "count", row->count);
    json_put_number(json, "sum_ns", row->sum);
    json_put_number(json, "longest_ns", row->longest);
    json_key(json, "buckets");
    json_array_begin_flat(json);
    for ( unsigned int i = 0; i < XENOPROF_LATENCY_BUCKETS; i++ )
        json_u64(json, row->buckets[i]);
    json_array_end(json);
    json_key(json, "by");
    json_array_begin(json);
    for ( size_t i = 0; i < count; i++ )
        put_taker(json, loaded, takers[i]);
    json_array_end(json);
    json_object_end(json);
}

static void put_all_lengths(struct json *json, const struct loaded *loaded)
{
    struct length_row **rows SCOPE_FREE = lengths_sorted(&loaded->lengths);

    json_key(json, "each");
    json_array_begin(json);
    for ( size_t i = 0; i < loaded->lengths.rows.count; i++ )
        put_lengths(json, loaded, rows[i]);
    json_array_end(json);
}

static void put_waits_json(struct json *json, const struct report *report,
                           const struct profile *profile,
                           const struct waits_row *rows)
{
    const struct loaded *loaded = report->loaded;

    json_object_begin(json);
    json_put_number(json, "version", JSON_VERSION);
    json_put_session(json, report, profile);
    json_put_number(json, "missing_ns", waits_missing(&loaded->waits));
    json_key(json, "domains");
    json_array_begin(json);
    for ( size_t at = 0; at < loaded->waits.vcpus.count; )
        at = put_waits_domain(json, loaded, rows, at);
    json_array_end(json);
    put_all_lengths(json, loaded);
    json_object_end(json);
}

static void print_waits_json(const struct report *report, FILE *file)
{
    struct waits_row *rows SCOPE_FREE = waits_sorted(&report->loaded->waits);
    struct profile profile = {.time_all = 0};
    struct json json;

    profile_by_domain(&profile, report->loaded);
    json_init(&json, file);
    put_waits_json(&json, report, &profile, rows);
    json_finish(&json);
    profile_free(&profile);
}

const struct view view_waits_json = {
    .print = print_waits_json,
    .expect = waits_expect,
    .accounts = true,
};

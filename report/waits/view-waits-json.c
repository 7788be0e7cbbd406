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

static void put_times(struct json *json, const struct vcpu_times *times)
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
    put_times(json, &vcpu->times);
    json_object_end(json);
}

/* Returns the first row of the next domain. */
static size_t put_domain(struct json *json, const struct loaded *loaded,
                         const struct waits_row *rows, size_t at)
{
    const struct waiting_domain *domain = rows[at].domain;

    json_object_begin(json);
    json_put_number(json, "domain", domain->key.domain);
    json_put_text(json, "domain_name",
                  names_text(&loaded->names, domain->name));
    put_times(json, &domain->times);
    json_key(json, "vcpus");
    json_array_begin(json);
    for ( ; rows[at].domain == domain; at++ )
        put_vcpu(json, rows[at].vcpu);
    json_array_end(json);
    json_object_end(json);
    return at;
}

static void put_all(struct json *json, const struct report *report,
                    const struct profile *profile, const struct waits_row *rows)
{
    const struct loaded *loaded = report->loaded;

    json_object_begin(json);
    json_put_number(json, "version", JSON_VERSION);
    json_put_session(json, report, profile);
    json_put_number(json, "missing_ns", waits_missing(&loaded->waits));
    json_key(json, "domains");
    json_array_begin(json);
    for ( size_t at = 0; at < loaded->waits.vcpus.count; )
        at = put_domain(json, loaded, rows, at);
    json_array_end(json);
    json_object_end(json);
}

static bool print_waits_json(const struct report *report, FILE *file)
{
    static const struct label_list labels = {.label = {LABEL_DOMAIN},
                                             .count = 1};
    struct waits_row *rows SCOPE_FREE = waits_sorted(&report->loaded->waits);
    struct profile profile = {.time_all = 0};
    bool done = profile_build(&profile, report->loaded, &labels) && rows;
    struct json json;

    json_init(&json, file);
    if ( done )
    {
        put_all(&json, report, &profile, rows);
        json_finish(&json);
    }
    profile_free(&profile);
    return done;
}

const struct view view_waits_json = {
    .print = print_waits_json,
    .expect = waits_expect,
};

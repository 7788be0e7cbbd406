/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/json-writer.h"
#include "status.h"

struct number {
    const char *key;
    uint64_t value;
};

static void put_numbers(struct json *json, const struct number *numbers,
                        size_t count)
{
    for ( size_t i = 0; i < count; i++ )
    {
        json_key(json, numbers[i].key);
        json_u64(json, numbers[i].value);
    }
}

#define PUT_NUMBERS(json, ...)                                                 \
    do                                                                         \
    {                                                                          \
        const struct number numbers_[] = {__VA_ARGS__};                        \
                                                                               \
        put_numbers(json, numbers_, sizeof(numbers_) / sizeof(*numbers_));     \
    } while ( 0 )

static void put_text(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_string(json, *text ? text : NULL);
}

static void put_sampler(struct json *json, const struct status *status)
{
    json_key(json, "sampler");
    if ( !status->session )
    {
        json_null(json);
        return;
    }
    json_object_begin_flat(json);
    put_text(json, "name", status->sampler);
    PUT_NUMBERS(json, {"frequency", status->frequency},
                {"asked", status->asked}, {"slowed", status->slowed});
    json_object_end(json);
}

static void put_session(struct json *json, const struct status *status)
{
    json_key(json, "session");
    if ( !status->session )
    {
        json_null(json);
        return;
    }
    json_object_begin(json);
    put_text(json, "name", status->name);
    put_text(json, "dir", status->dir);
    put_text(json, "by", status->by);
    put_text(json, "options", status->options);
    PUT_NUMBERS(json, {"since", status->since}, {"until", status->until},
                {"pcpus", status->pcpus});
    json_object_end(json);
}

static void put_counters(struct json *json, const struct status *status)
{
    json_key(json, "counters");
    json_object_begin(json);
    PUT_NUMBERS(json, {"due", status->due}, {"missed", status->missed},
                {"idle", status->idle}, {"made", status->made},
                {"read", status->read}, {"lost", status->lost},
                {"switched", status->switched}, {"moved", status->moved},
                {"cost_ns", status->cost});
    json_key(json, "lost_by_cause");
    json_object_begin_flat(json);
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        PUT_NUMBERS(json, {xenoprof_cause_name(i), status->lost_by_cause[i]});
    json_object_end(json);
    json_object_end(json);
}

static void put_ring(struct json *json, const struct status_ring *ring)
{
    json_object_begin_flat(json);
    PUT_NUMBERS(json, {"domain", ring->domain});
    json_key(json, "domain_name");
    json_string(json, ring->name);
    PUT_NUMBERS(json, {ring->pcpu ? "pcpu" : "vcpu", ring->unit},
                {"made", ring->made}, {"read", ring->read},
                {"lost", ring->lost});
    put_text(json, "state", ring->state);
    if ( !ring->pcpu )
        put_text(json, "uuid", ring->uuid);
    json_object_end(json);
}

static void put_chain(struct json *json, const struct chain_count *row)
{
    json_object_begin_flat(json);
    PUT_NUMBERS(json, {"domain", row->domain});
    json_key(json, "domain_name");
    json_string(json, row->name);
    put_text(json, "mode", xenoprof_mode_name(row->mode));
    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
        PUT_NUMBERS(
            json, {xenoprof_ended_name((enum xenoprof_ended)i), row->ended[i]});
    json_object_end(json);
}

static void put_chains(struct json *json, const struct status *status)
{
    json_key(json, "chains");
    json_array_begin(json);
    for ( size_t i = 0; i < status->chains.count; i++ )
        if ( status->chains.walked[status->chains.rows[i].mode] )
            put_chain(json, &status->chains.rows[i]);
    json_array_end(json);
}

static void put_daemon(struct json *json, const struct status *status)
{
    json_key(json, "daemon");
    if ( !status->daemon_pid )
    {
        json_null(json);
        return;
    }
    json_object_begin_flat(json);
    PUT_NUMBERS(json, {"pid", status->daemon_pid},
                {"user_ns", status->daemon_user},
                {"system_ns", status->daemon_system},
                {"resident", status->daemon_resident});
    json_object_end(json);
}

bool status_print_json(const struct status *status, FILE *file)
{
    struct json json;

    json_init(&json, file);
    json_object_begin(&json);
    put_text(&json, "state", status->state);
    put_sampler(&json, status);
    put_session(&json, status);
    put_counters(&json, status);
    json_key(&json, "rings");
    json_array_begin(&json);
    for ( size_t i = 0; i < status->ring_count; i++ )
        put_ring(&json, &status->rings[i]);
    json_array_end(&json);
    put_chains(&json, status);
    PUT_NUMBERS(&json, {"awaited", status->awaited});
    put_text(&json, "payload_above", status->covered_by);
    put_text(&json, "warning", status->warning);
    put_text(&json, "trouble", status->trouble);
    put_daemon(&json, status);
    json_object_end(&json);
    return json_finish(&json);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json-session.h"

#include "cost-text.h"
#include "json-members.h"
#include "report/pace/slowed.h"
#include "report/types/type-lines.h"
#include "report/model/format.h"
#include "report/model/chain-ends.h"
#include "report/model/domain-text.h"
#include "report/model/kernel-attribute.h"
#include "libxenoprof/session/session-attributes.h"

#include <stdlib.h>
#include <string.h>

#define JSON_VERSION 1
#define UTC_DIGITS   9u

static void put_utc(struct json *json, const char *key,
                    const struct loaded *loaded, uint64_t time)
{
    char text[CLOCK_TEXT];

    clock_format_utc(clocks_utc(&loaded->clocks, time), UTC_DIGITS, text);
    json_put_text(json, key, loaded->clocks.utc_known ? text : NULL);
}

static void put_attribute(struct json *json, const char *key,
                          const struct loaded *loaded)
{
    json_put_text(json, key, loaded_attribute(loaded, key));
}

static void put_number_attribute(struct json *json, const char *key,
                                 const struct loaded *loaded)
{
    const char *text = loaded_attribute(loaded, key);

    json_key(json, key);
    if ( text )
        json_u64(json, strtoull(text, NULL, 10));
    else
        json_null(json);
}

static void put_session_times(struct json *json, const struct loaded *loaded)
{
    const struct clocks *clocks = &loaded->clocks;

    put_utc(json, "start", loaded, clocks->start);
    put_utc(json, "end", loaded, loaded->last);
    json_put_number(json, "duration_ns", loaded_since(loaded, loaded->last));
    json_put_number(json, "xen_start_ns", clocks->start);
}

/* Nothing in a session of time alone. */
static void put_types(struct json *json, const struct loaded *loaded)
{
    const struct types *types = &loaded->types;

    if ( !type_lines_wanted(loaded) )
        return;
    json_put_text(json, "type", types_shown(types)->name);
    json_begin_array(json, "types");
    for ( uint16_t i = 0; i < XENOPROF_TYPES_MAX; i++ )
    {
        const struct sample_type *type = &types->type[i];

        if ( !types_lists(types, i) )
            continue;
        json_object_begin_flat(json);
        json_put_text(json, "name", type->name);
        json_put_text(json, "unit", type->unit);
        json_put_number(json, "samples", type->samples);
        json_put_number(json, "amount", type->amount);
        if ( i >= XENOPROF_TYPE_EVENT )
        {
            json_put_number(json, "select", type->select);
            json_put_number(json, "period", type->period);
            json_put_number(json, "turns", type->turns);
            json_put_number(json, "enabled_ns", type->enabled);
            json_put_number(json, "running_ns", type->running);
        }
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_frequencies(struct json *json, const struct loaded *loaded)
{
    json_begin_array(json, "frequencies");
    for ( size_t i = 0; i < loaded->attributes.count; i++ )
    {
        const struct attribute *attribute = &loaded->attributes.items[i];
        const char *text;

        if ( strcmp(names_text(&loaded->names, attribute->key),
                    SESSION_ATTRIBUTE_FREQUENCY) )
            continue;
        text = names_text(&loaded->names, attribute->value);
        json_object_begin_flat(json);
        json_key(json, "at_ns");
        if ( attribute->time )
            json_u64(json, loaded_since(loaded, attribute->time));
        else
            json_null(json);
        json_put_number(json, "frequency", strtoull(text, NULL, 10));
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_session_losses(struct json *json, const struct loaded *loaded)
{
    uint64_t unreadable = loaded_unreadable(loaded);
    uint64_t known = loaded->read + loaded->expired + loaded_lost_all(loaded);

    json_put_number(json, "made", loaded_made(loaded));
    json_put_number(json, "read", loaded->read);
    json_put_number(json, "lost", loaded_lost_all(loaded) + unreadable);
    json_put_number(json, "expired", loaded->expired);
    json_put_number(json, "pending", loaded_made(loaded) - known - unreadable);
    json_put_number(json, "not_named_yet", spooled_samples(&loaded->spooled));
    json_key(json, "lost_by_cause");
    json_object_begin_flat(json);
    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
        json_put_number(json, xenoprof_cause_name(cause),
                        loaded_lost(loaded, cause));
    if ( loaded->waiting.lost )
        json_put_number(json, "waiting", loaded->waiting.lost);
    json_put_number(json, "unreadable", unreadable);
    json_object_end(json);
    json_put_number(json, "due", loaded->counters.due);
    json_put_number(json, "missed", loaded->counters.missed);
    json_put_number(json, "missed_idle", loaded->counters.idle);
}

/* In dom0: null if the session does not say. */
static void put_session_cost(struct json *json, const struct loaded *loaded)
{
    const struct loaded_cost *cost = &loaded->cost;

    json_key(json, "cost");
    json_object_begin_flat(json);
    json_put_number(json, "xen_ns", cost->module);
    json_key(json, "daemon_ns");
    cost->reported ? json_u64(json, cost_on_pcpus(loaded, cost->daemon))
                   : json_null(json);
    json_key(json, "processes_ns");
    cost->reported ? json_u64(json, cost_on_pcpus(loaded, cost->children))
                   : json_null(json);
    json_put_number(json, "dom0_ns", own_cost_in_dom0(loaded));
    json_put_number(json, "guests_ns", own_cost_in_guests(loaded));
    json_object_end(json);
}

static void put_stacks(struct json *json, const struct loaded *loaded)
{
    struct stack_counts counts = loaded_stacks(loaded, false);

    json_key(json, "stacks");
    if ( !loaded->stacked )
    {
        json_null(json);
        return;
    }
    json_object_begin_flat(json);
    json_put_number(json, "samples", counts.callers);
    json_put_number(json, "truncated", counts.truncated);
    json_put_number(json, "guest_moved", counts.moved);
    json_put_number(json, "guest_unknown", counts.unknown);
    json_object_end(json);
}

static void put_damage(struct json *json, const struct loaded *loaded)
{
    json_put_number(json, "torn_bytes", loaded->torn);
    json_begin_array(json, "damage");
    for ( size_t i = 0; i < loaded->damages && i < DAMAGES_KEPT; i++ )
        json_string(json, loaded->damage[i]);
    json_array_end(json);
}

static void put_kernel_value(struct json *json, unsigned int key,
                             const char *value)
{
    const bool is_number = key == KERNEL_SYMBOLS || key == KERNEL_MODULES ||
                           key == KERNEL_ORC_ROWS;
    char name[32];
    char *dash;

    snprintf(name, sizeof(name), "%s", kernel_attribute_keys[key]);
    while ( (dash = strchr(name, '-')) )
        *dash = '_';
    if ( value && is_number )
        json_put_number(json, name, strtoull(value, NULL, 10));
    else if ( value && (!strcmp(value, "yes") || !strcmp(value, "no")) )
        json_put_bool(json, name, !strcmp(value, "yes"));
    else
        json_put_text(json, name, value);
}

static void put_kernel(struct json *json, const struct loaded *loaded,
                       uint32_t domain)
{
    struct kernel_attribute attribute;

    json_key(json, "kernel");
    if ( !kernel_attribute_read(loaded, domain, &attribute) )
    {
        json_null(json);
        return;
    }
    json_object_begin_flat(json);
    json_put_text(json, "missing", attribute.missing);
    for ( unsigned int i = 0; !attribute.missing && i < KERNEL_ATTRIBUTE_KEYS;
          i++ )
        put_kernel_value(json, i, attribute.value[i]);
    json_object_end(json);
    kernel_attribute_free(&attribute);
}

/* What is to be said of the ends that were met. */
struct met_ends {
    bool met[XENOPROF_ENDS];
    const char *remedy[XENOPROF_ENDS];
};

static void put_ends(struct json *json, const struct loaded_domain *domain,
                     const struct chain_ends *ends, struct met_ends *met)
{
    json_object_begin_flat(json);
    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
    {
        enum xenoprof_ended ended = (enum xenoprof_ended)i;
        const char *remedy;
        bool ran;

        if ( ended != XENOPROF_ENDED_ROOT && !ends->ended[i] )
            continue;
        json_put_number(json, xenoprof_ended_name(ended), ends->ended[i]);
        met->met[ended] = true;
        /* Where an agent ran it is not to be started; that one is missing says
         * more. */
        remedy = chain_ends_remedy(domain, ends, ended, &ran);
        if ( remedy && !(ran && met->remedy[ended]) )
            met->remedy[ended] = remedy;
    }
    json_object_end(json);
}

/* In words, for those who have no list of them. */
static void put_met_ends(struct json *json, const struct met_ends *met)
{
    json_key(json, "chain_ends");
    json_object_begin(json);
    for ( unsigned int i = 0; i < XENOPROF_ENDS; i++ )
    {
        enum xenoprof_ended ended = (enum xenoprof_ended)i;

        if ( !met->met[i] )
            continue;
        json_key(json, xenoprof_ended_name(ended));
        json_object_begin_flat(json);
        json_put_text(json, "text", xenoprof_ended_text(ended));
        json_put_text(json, "remedy", met->remedy[i]);
        json_object_end(json);
    }
    json_object_end(json);
}

/* null where no chains were recorded. */
static void put_chains(struct json *json, const struct loaded_domain *domain,
                       const bool recorded[CHAIN_MODES], struct met_ends *met)
{
    json_key(json, "chains");
    json_object_begin(json);
    for ( unsigned int m = 0; m < CHAIN_MODES; m++ )
    {
        json_key(json, xenoprof_mode_name(chain_modes[m]));
        if ( recorded[m] &&
             (domain->ends[m].samples || chain_modes[m] != XENOPROF_MODE_USER) )
            put_ends(json, domain, &domain->ends[m], met);
        else
            json_null(json);
    }
    json_object_end(json);
}

static void put_session_domains(struct json *json, const struct loaded *loaded)
{
    bool recorded[CHAIN_MODES];
    struct met_ends met = {0};

    chain_ends_recorded(loaded, recorded);
    json_begin_array(json, "domains");
    for ( size_t i = 0; i < loaded->domains.count; i++ )
    {
        const struct loaded_domain *domain = loaded_domain(loaded, (uint32_t)i);
        char uuid[UUID_TEXT];

        if ( i == DOMAIN_INDEX_OTHER || i == DOMAIN_INDEX_IDLE )
            continue;
        json_object_begin(json);
        json_put_number(json, "domain", domain->key.number);
        json_put_text(json, "name", names_text(&loaded->names, domain->name));
        json_put_text(json, "kind", names_text(&loaded->names, domain->kind));
        domain_uuid(domain, uuid);
        json_put_text(json, "uuid", uuid);
        put_kernel(json, loaded, (uint32_t)i);
        put_chains(json, domain, recorded, &met);
        json_object_end(json);
    }
    json_array_end(json);
    put_met_ends(json, &met);
}

void json_put_session(struct json *json, const struct report *report,
                      const struct profile *profile)
{
    const struct loaded *loaded = report->loaded;

    json_key(json, "session");
    json_object_begin(json);
    json_put_text(json, "name", report->name);
    json_put_bool(json, "open", !loaded->closed);
    json_put_text(json, "state", session_state_word(report->state));
    put_session_times(json, loaded);
    put_attribute(json, SESSION_ATTRIBUTE_HOST, loaded);
    put_attribute(json, SESSION_ATTRIBUTE_XEN, loaded);
    put_attribute(json, SESSION_ATTRIBUTE_BUILD_ID, loaded);
    put_attribute(json, SESSION_ATTRIBUTE_PAYLOADS, loaded);
    put_attribute(json, SESSION_ATTRIBUTE_MODULE, loaded);
    put_attribute(json, SESSION_ATTRIBUTE_PROGRAM, loaded);
    put_attribute(json, SESSION_ATTRIBUTE_SAMPLER, loaded);
    put_number_attribute(json, SESSION_ATTRIBUTE_FREQUENCY, loaded);
    put_frequencies(json, loaded);
    slowed_put_json(json, loaded);
    put_number_attribute(json, SESSION_ATTRIBUTE_PCPUS, loaded);
    put_types(json, loaded);
    json_put_number(json, "pcpu_time_ns",
                    cost_whole(loaded, profile->time_all));
    json_put_number(json, "unsampled_ns", loaded->unsampled);
    put_session_losses(json, loaded);
    put_session_cost(json, loaded);
    put_stacks(json, loaded);
    put_damage(json, loaded);
    put_session_domains(json, loaded);
    json_object_end(json);
}

void json_begin_report(struct json *json, const struct report *report,
                       const struct profile *profile, FILE *file)
{
    json_init(json, file);
    json_object_begin(json);
    json_put_number(json, "version", JSON_VERSION);
    json_put_session(json, report, profile);
}

void json_end_report(struct json *json)
{
    json_object_end(json);
    json_finish(json);
}

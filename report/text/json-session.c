/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json-session.h"

#include "clock.h"
#include "json-domains.h"

#include <session-attributes.h>
#include <stdlib.h>
#include <string.h>

#define UTC_DIGITS 9u

void json_put_number(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_u64(json, value);
}

void json_put_text(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_string(json, text);
}

static void put_utc(struct json *json, const char *key,
                    const struct recording *recording, uint64_t time)
{
    char text[CLOCK_TEXT];

    clock_format_utc(clocks_utc(&recording->clocks, time), UTC_DIGITS, text);
    json_put_text(json, key, recording->clocks.utc_known ? text : NULL);
}

static void put_attribute(struct json *json, const char *key,
                          const struct recording *recording)
{
    json_put_text(json, key, recording_attribute(recording, key));
}

static void put_number_attribute(struct json *json, const char *key,
                                 const struct recording *recording)
{
    const char *text = recording_attribute(recording, key);

    json_key(json, key);
    if ( text )
        json_u64(json, strtoull(text, NULL, 10));
    else
        json_null(json);
}

static void put_times(struct json *json, const struct recording *recording)
{
    const struct clocks *clocks = &recording->clocks;

    put_utc(json, "start", recording, clocks->start);
    put_utc(json, "end", recording, recording->last);
    json_put_number(json, "duration_ns",
                    recording_since(recording, recording->last));
    json_put_number(json, "xen_start_ns", clocks->start);
}

static void put_since(struct json *json, const char *key,
                      const struct recording *recording, uint64_t time)
{
    json_key(json, key);
    if ( time )
        json_u64(json, recording_since(recording, time));
    else
        json_null(json);
}

static void put_frequencies(struct json *json,
                            const struct recording *recording)
{
    json_key(json, "frequencies");
    json_array_begin(json);
    for ( size_t i = 0; i < recording->attribute_count; i++ )
    {
        const struct attribute *attribute = &recording->attributes[i];
        const char *text;

        if ( strcmp(names_text(&recording->names, attribute->key),
                    SESSION_ATTRIBUTE_FREQUENCY) )
            continue;
        text = names_text(&recording->names, attribute->value);
        json_object_begin_flat(json);
        put_since(json, "at_ns", recording, attribute->time);
        json_put_number(json, "frequency", strtoull(text, NULL, 10));
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_losses(struct json *json, const struct recording *recording)
{
    uint64_t unreadable = recording_unreadable(recording);
    uint64_t known = recording->read + recording_lost_all(recording);

    json_put_number(json, "made", recording_made(recording));
    json_put_number(json, "read", recording->read);
    json_put_number(json, "lost", recording_lost_all(recording) + unreadable);
    json_put_number(json, "pending",
                    recording_made(recording) - known - unreadable);
    json_key(json, "lost_by_cause");
    json_object_begin_flat(json);
    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
        json_put_number(json, xenoprof_cause_name(cause),
                        recording_lost(recording, cause));
    json_put_number(json, "unreadable", unreadable);
    json_object_end(json);
    json_put_number(json, "due", recording->counters.due);
    json_put_number(json, "missed", recording->counters.missed);
    json_put_number(json, "missed_idle", recording->counters.idle);
}

static void put_stacks(struct json *json, const struct recording *recording)
{
    struct stack_counts counts = recording_stacks(recording);

    json_key(json, "stacks");
    if ( !recording->stacks.count )
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

static void put_damage(struct json *json, const struct recording *recording)
{
    json_put_number(json, "torn_bytes", recording->torn);
    json_key(json, "damage");
    json_array_begin(json);
    for ( size_t i = 0; i < recording->damages && i < DAMAGES_KEPT; i++ )
        json_string(json, recording->damage[i]);
    json_array_end(json);
}

void json_put_session(struct json *json, const struct report *report,
                      const struct profile *profile)
{
    const struct recording *recording = report->recording;

    json_key(json, "session");
    json_object_begin(json);
    json_put_text(json, "name", report->name);
    json_key(json, "open");
    json_bool(json, !recording->closed);
    put_times(json, recording);
    put_attribute(json, SESSION_ATTRIBUTE_HOST, recording);
    put_attribute(json, SESSION_ATTRIBUTE_XEN, recording);
    put_attribute(json, SESSION_ATTRIBUTE_BUILD_ID, recording);
    put_attribute(json, SESSION_ATTRIBUTE_PAYLOADS, recording);
    put_attribute(json, SESSION_ATTRIBUTE_MODULE, recording);
    put_attribute(json, SESSION_ATTRIBUTE_PROGRAM, recording);
    put_attribute(json, SESSION_ATTRIBUTE_SAMPLER, recording);
    put_number_attribute(json, SESSION_ATTRIBUTE_FREQUENCY, recording);
    put_frequencies(json, recording);
    put_number_attribute(json, SESSION_ATTRIBUTE_PCPUS, recording);
    json_put_number(json, "pcpu_time_ns", profile->time_all);
    json_put_number(json, "unsampled_ns", recording->unsampled);
    put_losses(json, recording);
    put_stacks(json, recording);
    put_damage(json, recording);
    json_put_domains(json, recording);
    json_object_end(json);
}

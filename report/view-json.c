/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --json: xenopreport(1) describes the object.
 */
#include "clock.h"
#include "domains.h"
#include "options.h"
#include "profile.h"
#include "views.h"

#include <inttypes.h>
#include <json-writer.h>
#include <session-facts.h>
#include <stdlib.h>
#include <string.h>

#define JSON_VERSION 1
#define UTC_DIGITS   9u

/* What tells rows apart here; --sort adds to it. */
static const enum label row_labels[] = {LABEL_DOMAIN, LABEL_MODE, LABEL_IMAGE,
                                        LABEL_SYMBOL};

static void put_number(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_u64(json, value);
}

static void put_text(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_string(json, text);
}

/* JSON's numbers are doubles to many readers: an address would lose bits. */
static void put_address(struct json *json, const char *key, uint64_t address)
{
    char text[20];

    snprintf(text, sizeof(text), "0x%" PRIx64, address);
    put_text(json, key, address ? text : NULL);
}

static void put_name(struct json *json, const char *key,
                     const struct recording *recording, uint64_t name)
{
    put_text(json, key,
             name == LABEL_NONE
                 ? NULL
                 : names_text(&recording->names, (uint32_t)name));
}

static void put_utc(struct json *json, const char *key,
                    const struct recording *recording, uint64_t time)
{
    char text[CLOCK_TEXT];

    clock_format_utc(clocks_utc(&recording->clocks, time), UTC_DIGITS, text);
    put_text(json, key, recording->clocks.utc_known ? text : NULL);
}

static void put_fact(struct json *json, const char *key,
                     const struct recording *recording)
{
    put_text(json, key, recording_fact(recording, key));
}

static void put_number_fact(struct json *json, const char *key,
                            const struct recording *recording)
{
    const char *text = recording_fact(recording, key);

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
    put_number(json, "duration_ns", recording->last - clocks->start);
    put_number(json, "xen_start_ns", clocks->start);
}

static void put_frequencies(struct json *json,
                            const struct recording *recording)
{
    json_key(json, "frequencies");
    json_array_begin(json);
    for ( size_t i = 0; i < recording->fact_count; i++ )
    {
        const struct fact *fact = &recording->facts[i];
        const char *text;

        if ( strcmp(names_text(&recording->names, fact->key),
                    SESSION_FACT_FREQUENCY) )
            continue;
        text = names_text(&recording->names, fact->value);
        json_object_begin_flat(json);
        put_number(json, "at_ns", fact->time - recording->clocks.start);
        put_number(json, "frequency", strtoull(text, NULL, 10));
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_domains(struct json *json, const struct recording *recording)
{
    json_key(json, "domains");
    json_array_begin(json);
    for ( size_t i = 0; i < recording->domains.count; i++ )
    {
        const struct domain *domain = recording_domain(recording, (uint32_t)i);
        char uuid[UUID_TEXT];

        if ( i == DOMAIN_INDEX_OTHER || i == DOMAIN_INDEX_IDLE )
            continue;
        json_object_begin_flat(json);
        put_number(json, "domain", domain->key.number);
        put_text(json, "name", names_text(&recording->names, domain->name));
        put_text(json, "kind", names_text(&recording->names, domain->kind));
        domain_uuid(domain, uuid);
        put_text(json, "uuid", uuid);
        json_object_end(json);
    }
    json_array_end(json);
}

static void put_losses(struct json *json, const struct recording *recording)
{
    uint64_t unreadable = recording_unreadable(recording);
    uint64_t known = recording->read + recording_lost_all(recording);

    put_number(json, "made", recording_made(recording));
    put_number(json, "read", recording->read);
    put_number(json, "lost", recording_lost_all(recording) + unreadable);
    put_number(json, "pending", recording_made(recording) - known - unreadable);
    json_key(json, "lost_by_cause");
    json_object_begin_flat(json);
    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
        put_number(json, xenoprof_cause_name(cause),
                   recording_lost(recording, cause));
    put_number(json, "unreadable", unreadable);
    json_object_end(json);
    put_number(json, "due", recording->counters.due);
    put_number(json, "missed", recording->counters.missed);
    put_number(json, "missed_idle", recording->counters.idle);
}

static void put_damage(struct json *json, const struct recording *recording)
{
    put_number(json, "torn_bytes", recording->torn);
    json_key(json, "damage");
    json_array_begin(json);
    for ( size_t i = 0; i < recording->damages && i < DAMAGES_KEPT; i++ )
        json_string(json, recording->damage[i]);
    json_array_end(json);
}

static void put_session(struct json *json, const struct report *report,
                        const struct profile *profile)
{
    const struct recording *recording = report->recording;

    json_key(json, "session");
    json_object_begin(json);
    put_text(json, "name", report->name);
    json_key(json, "open");
    json_bool(json, !recording->closed);
    put_times(json, recording);
    put_fact(json, SESSION_FACT_HOST, recording);
    put_fact(json, SESSION_FACT_XEN, recording);
    put_fact(json, SESSION_FACT_BUILD_ID, recording);
    put_fact(json, SESSION_FACT_PROGRAM, recording);
    put_fact(json, SESSION_FACT_SAMPLER, recording);
    put_number_fact(json, SESSION_FACT_FREQUENCY, recording);
    put_frequencies(json, recording);
    put_number_fact(json, SESSION_FACT_PCPUS, recording);
    put_number(json, "pcpu_time_ns", profile->time_all);
    put_number(json, "unsampled_ns", recording->unsampled);
    put_losses(json, recording);
    put_damage(json, recording);
    put_domains(json, recording);
    json_object_end(json);
}

/* `other` has no mode of its own: that of most of its samples. */
static unsigned int row_mode(const struct row *row)
{
    unsigned int most = XENOPROF_MODE_XEN;

    if ( row->key.value[LABEL_MODE] != LABEL_NONE )
        return (unsigned int)row->key.value[LABEL_MODE];
    for ( unsigned int mode = 0; mode < XENOPROF_MODES; mode++ )
        if ( row->by_mode[mode] > row->by_mode[most] )
            most = mode;
    return most;
}

static void put_cpu(struct json *json, const struct report *report,
                    const struct row *row, enum label label)
{
    uint64_t value = row->key.value[label];

    if ( !label_list_has(&report->options->sort, label) )
        return;
    json_key(json, label_name(label));
    if ( value == LABEL_NONE )
        json_null(json);
    else
        json_u64(json, value);
}

static void put_row(struct json *json, const struct report *report,
                    const struct row *row)
{
    const struct recording *recording = report->recording;
    const struct domain *domain = recording_domain(
        recording, (uint32_t)row->key.value[LABEL_DOMAIN]);

    json_object_begin_flat(json);
    json_key(json, "domain");
    json_i64(json, domain_number(domain));
    put_text(json, "domain_name", names_text(&recording->names, domain->name));
    put_cpu(json, report, row, LABEL_VCPU);
    put_cpu(json, report, row, LABEL_PCPU);
    put_text(json, "mode", xenoprof_mode_name(row_mode(row)));
    put_name(json, "image", recording, row->key.value[LABEL_IMAGE]);
    put_name(json, "symbol", recording, row->key.value[LABEL_SYMBOL]);
    put_address(json, "address", row->address);
    put_number(json, "samples", row->samples);
    put_number(json, "time_ns", row->time);
    json_object_end(json);
}

/* The rows that are shown, and the sum of those that --percent-limit hides. */
static void put_rows(struct json *json, const struct report *report,
                     const struct profile *profile)
{
    size_t shown = profile_limit(profile, report->options->percent_limit);
    uint64_t samples = profile->samples, time = profile->time;

    json_key(json, "rows");
    json_array_begin(json);
    for ( size_t i = 0; i < shown; i++ )
    {
        samples -= profile->sorted[i]->samples;
        time -= profile->sorted[i]->time;
        put_row(json, report, profile->sorted[i]);
    }
    json_array_end(json);
    json_key(json, "hidden");
    json_object_begin_flat(json);
    put_number(json, "rows", profile->count - shown);
    put_number(json, "samples", samples);
    put_number(json, "time_ns", time);
    json_object_end(json);
}

static void put_selection(struct json *json, const struct report *report,
                          const struct profile *profile)
{
    const struct selection *selection = &report->options->selection;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    if ( file )
    {
        selection_print(selection, file);
        fclose(file);
    }
    json_key(json, "selected");
    json_object_begin_flat(json);
    put_text(json, "filter", selection_filters(selection) ? text : NULL);
    put_number(json, "samples", profile->samples);
    put_number(json, "time_ns", profile->time);
    json_object_end(json);
    free(text);
}

/* The rows' own labels, and each that --sort adds. */
static struct label_list json_labels(const struct options *options)
{
    static const enum label added[] = {LABEL_VCPU, LABEL_PCPU};
    struct label_list list = {.count = 0};

    for ( size_t i = 0; i < sizeof(row_labels) / sizeof(row_labels[0]); i++ )
        list.label[list.count++] = row_labels[i];
    for ( size_t i = 0; i < sizeof(added) / sizeof(added[0]); i++ )
        if ( label_list_has(&options->sort, added[i]) )
            list.label[list.count++] = added[i];
    return list;
}

bool view_json(const struct report *report, FILE *file)
{
    struct label_list labels = json_labels(report->options);
    struct profile profile;
    struct json json;
    bool built = profile_build(&profile, report->recording, &labels);

    if ( built )
    {
        json_init(&json, file);
        json_object_begin(&json);
        put_number(&json, "version", JSON_VERSION);
        put_session(&json, report, &profile);
        put_selection(&json, report, &profile);
        put_rows(&json, report, &profile);
        json_object_end(&json);
        json_finish(&json);
    }
    profile_free(&profile);
    return built;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --json: xenopreport-json(5) describes the object.
 */
#include "base/scope.h"
#include "report/model/domain-text.h"
#include "json-members.h"
#include "json-session.h"
#include "report/export/json-samples.h"
#include "report/model/report.h"
#include "report/types/type-text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* JSON's numbers are doubles to many readers: an address would lose bits. */
static void put_address(struct json *json, const char *key, uint64_t address)
{
    char text[20];

    snprintf(text, sizeof(text), "0x%" PRIx64, address);
    json_put_text(json, key, address ? text : NULL);
}

static void put_known_name(struct json *json, const char *key,
                           const struct loaded *loaded, uint64_t name)
{
    json_put_text(
        json, key,
        name == LABEL_NONE ? NULL : names_text(&loaded->names, (uint32_t)name));
}

/* `other` has no mode of its own: that of most of its samples.  NULL: there are
 * none, and so it is of any time without a sample. */
static const char *mode_name(const struct row *row)
{
    unsigned int most = XENOPROF_MODE_XEN;

    if ( row->key.value[LABEL_MODE] != LABEL_NONE )
        return xenoprof_mode_name((unsigned int)row->key.value[LABEL_MODE]);
    for ( unsigned int mode = 0; mode < XENOPROF_MODES; mode++ )
        if ( row->by_mode[mode] > row->by_mode[most] )
            most = mode;
    return row->by_mode[most] ? xenoprof_mode_name(most) : NULL;
}

/* The labels that rows have because --sort names them. */
static void put_sorted(struct json *json, const struct report *report,
                       const struct row *row)
{
    for ( unsigned int i = 0; i < LABELS; i++ )
    {
        const struct label_kind *kind = label_kind((enum label)i);
        uint64_t value = row->key.value[i];
        char *text SCOPE_FREE = NULL;

        if ( kind->json != JSON_IF_SORTED ||
             !label_list_has(&report->query->sort, (enum label)i) )
            continue;
        if ( value != LABEL_NONE && kind->number )
        {
            json_put_number(json, kind->name, value);
            continue;
        }
        text = value == LABEL_NONE ? NULL : kind->text(report->loaded, value);
        json_put_text(json, kind->name, text);
    }
}

/* Only what is of pCPU time is a part of what Xen accounts for. */
static void put_error(struct json *json, const struct report *report,
                      const struct profile *profile, const struct row *row)
{
    const double error = profile_error(profile, report->loaded, row);

    if ( types_is_time(&report->loaded->types) && error >= 0 )
        json_put_number(json, "error_ns", (uint64_t)llround(error));
}

static void put_profile_row(struct json *json, const struct report *report,
                            const struct profile *profile,
                            const struct row *row)
{
    const struct loaded *loaded = report->loaded;
    const struct loaded_domain *domain = loaded_domain(
        loaded, (uint32_t)row->key.value[LABEL_DOMAIN]);

    json_object_begin_flat(json);
    json_put_domain(json, loaded, domain);
    put_sorted(json, report, row);
    json_put_text(json, "mode", mode_name(row));
    put_known_name(json, "image", loaded, row->key.value[LABEL_IMAGE]);
    put_known_name(json, "symbol", loaded, row->key.value[LABEL_SYMBOL]);
    if ( row->key.area == AREA_USER &&
         !label_list_has(&report->query->sort, LABEL_COMM) )
        json_put_text(json, "comm",
                      names_text(&loaded->names, (uint32_t)row->key.unnamed));
    put_address(json, "address", row->address);
    json_put_number(json, "samples", row->samples);
    json_put_number(json, type_member(loaded), row->time);
    put_error(json, report, profile, row);
    if ( report->options->stacks_in_rows )
        json_put_chain(json, report->stacks, (uint32_t)row->key.chain);
    json_object_end(json);
}

/* The rows that are shown, and the sum of those that --percent-limit hides. */
static void put_profile_rows(struct json *json, const struct report *report,
                             const struct profile *profile)
{
    size_t shown = profile_limit(profile, report->query->percent_limit);
    uint64_t samples = profile->samples, time = profile->time;

    json_begin_array(json, "rows");
    for ( size_t i = 0; i < shown; i++ )
    {
        samples -= profile->sorted[i]->samples;
        time -= profile->sorted[i]->time;
        put_profile_row(json, report, profile, profile->sorted[i]);
    }
    json_array_end(json);
    json_key(json, "hidden");
    json_object_begin_flat(json);
    json_put_number(json, "rows", profile->count - shown);
    json_put_number(json, "samples", samples);
    json_put_number(json, type_member(report->loaded), time);
    json_object_end(json);
}

static struct label_list json_labels(const struct report *report)
{
    struct label_list list = {.chains = report->options->stacks_in_rows};

    for ( unsigned int i = 0; i < LABELS; i++ )
        if ( label_kind((enum label)i)->json == JSON_ALWAYS ||
             (label_kind((enum label)i)->json == JSON_IF_SORTED &&
              label_list_has(&report->query->sort, (enum label)i)) )
            list.label[list.count++] = (enum label)i;
    return list;
}

static void print_rows_json(const struct report *report, FILE *file)
{
    struct label_list labels = json_labels(report);
    struct profile profile;
    struct json json;

    profile_build(&profile, report->loaded, &labels);
    json_begin_report(&json, report, &profile, file);
    json_put_selection(&json, report, &profile);
    if ( report->options->stacks_in_rows || report->options->samples )
        json_put_frames(&json, report);
    put_profile_rows(&json, report, &profile);
    if ( report->options->samples )
        json_put_samples(&json, report);
    json_end_report(&json);
    profile_free(&profile);
}

const struct view view_json = {
    .print = print_rows_json,
    .option = "json",
    .what = "all of it as one JSON object; see xenopreport-json(5)",
};

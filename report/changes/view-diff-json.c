/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --diff with --json: xenopreport-json(5) describes the object.
 */
#include "base/must.h"
#include "report/model/diff-rows.h"
#include "report/types/type-text.h"
#include "diff-json.h"
#include "report/text/json-members.h"
#include "report/text/json-session.h"
#include "report/model/report.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define JSON_VERSION 1
#define ROUNDED      1e6
#define UNKNOWN      "-" /* as label_text() has it */

/* What is compared: numbers of domains and addresses of what has a name are
 * others on the other side. */
static struct label_list row_labels(void)
{
    struct label_list list = {.count = 0};

    for ( unsigned int i = 0; i < LABELS; i++ )
        if ( label_kind((enum label)i)->json == JSON_ALWAYS )
            list.label[list.count++] = (enum label)i;
    return list;
}

static char *json_row_text(const struct report *report,
                           const struct profile *profile, const struct row *row,
                           enum label label)
{
    const struct loaded *loaded = report->loaded;
    uint64_t value = row->key.value[label];
    const char *name = NULL;

    (void)profile;
    if ( label == LABEL_SYMBOL && row->key.area )
        return area_text(loaded, (enum area)row->key.area,
                         (uint32_t)row->key.unnamed);
    if ( label == LABEL_DOMAIN )
        name = names_text(&loaded->names,
                          loaded_domain(loaded, (uint32_t)value)->name);
    else if ( label == LABEL_SYMBOL && value != LABEL_NONE )
        name = names_text(&loaded->names, (uint32_t)value);
    return name && *name ? must(strdup(name))
                         : label_text(loaded, label, value, row->key.unnamed);
}

static void put_diff_session(struct json *json, const char *key,
                             const struct report *report,
                             const struct diff_whole *whole)
{
    const struct profile profile = {.samples = whole->samples,
                                    .time_all = whole->time};

    json_key(json, key);
    json_object_begin(json);
    json_put_session(json, report, &profile);
    json_put_text(json, "time", report->part);
    json_put_number(json, "shown_samples", whole->samples);
    json_object_end(json);
}

static void put_pair(struct json *json, const char *key, uint64_t before,
                     uint64_t after)
{
    json_key(json, key);
    json_array_begin_flat(json);
    json_u64(json, before);
    json_u64(json, after);
    json_array_end(json);
}

void diff_json_change(struct json *json, const struct report *report,
                      const struct amount side[2], const struct change *change)
{
    put_pair(json, "samples", side[0].samples, side[1].samples);
    put_pair(json, type_member(report->loaded), side[0].time, side[1].time);
    diff_json_shares(json, change);
}

void diff_json_shares(struct json *json, const struct change *change)
{
    json_put_rounded(json, "before", change->before, ROUNDED);
    json_put_rounded(json, "after", change->after, ROUNDED);
    json_put_rounded(json, "change", change->after - change->before, ROUNDED);
    json_put_rounded(json, "error", change->error, ROUNDED);
    json_put_rounded(json, "chance", change->chance, ROUNDED);
    json_put_bool(json, "beyond_noise", change->beyond);
}

static void put_diff_row(struct json *json, const struct report *report,
                         const struct diff_rows *diff,
                         const struct diff_row *row)
{
    const struct label_list labels = row_labels();

    json_object_begin_flat(json);
    for ( size_t i = 0; i < labels.count; i++ )
    {
        const struct label_kind *kind = label_kind(labels.label[i]);
        const char *text = names_text(&diff->texts,
                                      row->key.text[labels.label[i]]);

        json_put_text(json, kind->json_key ? kind->json_key : kind->name,
                      strcmp(text, UNKNOWN) ? text : NULL);
    }
    diff_json_change(json, report, row->side, &row->change);
    json_object_end(json);
}

/* Rows stand by change. */
static void put_diff_rows(struct json *json, const struct report *report,
                          const struct diff_rows *diff)
{
    const double limit = report->query->percent_limit;
    size_t shown = 0;

    json_begin_array(json, "rows");
    for ( ; shown < diff->rows.count; shown++ )
    {
        const struct change *change = &diff->sorted[shown]->change;

        if ( 100 * fabs(change->after - change->before) < limit )
            break;
        put_diff_row(json, report, diff, diff->sorted[shown]);
    }
    json_array_end(json);
    json_put_number(json, "hidden_rows", diff->rows.count - shown);
}

void diff_json_begin(struct json *json, const struct report *report,
                     const struct diff_whole whole[2], size_t beyond)
{
    const struct query *query = report->query;

    json_object_begin(json);
    json_put_number(json, "version", JSON_VERSION);
    put_diff_session(json, "before", report->base, &whole[0]);
    put_diff_session(json, "after", report, &whole[1]);
    json_put_text(json, "normalize",
                  query->normalize == NORMALIZE_TIME ? "time" : "samples");
    json_put_filter(json, &query->selection);
    json_put_patterns(json, &query->focus);
    json_put_number(json, "beyond_noise", beyond);
}

static void print_diff_json(const struct report *report, FILE *file)
{
    const struct label_list labels = row_labels();
    struct diff_rows diff;
    struct json json;

    diff_rows_build(&diff, report, &labels, json_row_text,
                    report->query->normalize);
    json_init(&json, file);
    diff_json_begin(&json, report, diff.whole, diff.beyond);
    put_diff_rows(&json, report, &diff);
    json_object_end(&json);
    json_finish(&json);
    diff_rows_free(&diff);
}

const struct view view_diff_json = {
    .print = print_diff_json,
};

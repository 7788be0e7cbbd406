/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "json-samples.h"

#include "export-walk.h"
#include "report/text/json-members.h"
#include "report/types/type-text.h"

#include <inttypes.h>

/* Under the names that rows and --sort have. */
static const struct {
    const char *key;
    enum walk_label label;
} members[] = {
    {"mode", WALK_MODE},    {"vcpu", WALK_VCPU}, {"pcpu", WALK_PCPU},
    {"entry", WALK_ENTRY},  {"pid", WALK_PID},   {"tid", WALK_THREAD},
    {"comm", WALK_PROCESS},
};

static void put_member(struct json *json, struct export_walk *walk,
                       const struct cell *cell, size_t index)
{
    const enum walk_label label = members[index].label;
    const uint64_t value = walk_label_value(walk, cell, label);

    json_key(json, members[index].key);
    if ( value == LABEL_NONE )
        json_null(json);
    else if ( walk_labels[label].number )
        json_u64(json, value);
    else
        json_string(json, walk_label_text(walk, label, value));
}

static void put_sample(struct json *json, struct export_walk *walk,
                       const struct report *report,
                       const struct walk_sample *sample)
{
    const struct loaded *loaded = report->loaded;

    json_object_begin_flat(json);
    json_put_number(json, "at_ns", loaded_since(loaded, sample->time));
    json_put_domain(json, loaded,
                    loaded_domain(loaded, sample->cell->key.domain));
    for ( size_t i = 0; i < sizeof(members) / sizeof(members[0]); i++ )
        put_member(json, walk, sample->cell, i);
    json_put_number(json, "samples", sample->count);
    json_put_number(json, type_member(loaded), sample->amount);
    json_put_chain(json, report->stacks, sample->cell->chain);
    json_object_end(json);
}

void json_put_samples(struct json *json, const struct report *report)
{
    struct export_walk walk;
    struct walk_sample sample;

    walk_init(&walk, report);
    json_begin_array(json, "samples");
    while ( walk_next(&walk, &sample) )
        put_sample(json, &walk, report, &sample);
    json_array_end(json);
    walk_free(&walk);
}

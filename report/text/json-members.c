/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes what several JSON objects of the report have. */
#include "json-members.h"

#include "base/must.h"
#include "report/model/domain-text.h"
#include "report/types/type-text.h"

#include "base/scope.h"

#include <inttypes.h>
#include <math.h>

void json_put_number(struct json *json, const char *key, uint64_t value)
{
    json_key(json, key);
    json_u64(json, value);
}

void json_put_bool(struct json *json, const char *key, bool value)
{
    json_key(json, key);
    json_bool(json, value);
}

/* No minus stands before 0. */
void json_put_rounded(struct json *json, const char *key, double value,
                      double per)
{
    json_key(json, key);
    json_double(json, round(value * per) / per + 0.0);
}

void json_put_text(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_string(json, text);
}

void json_begin_array(struct json *json, const char *key)
{
    json_key(json, key);
    json_array_begin(json);
}

void json_put_domain(struct json *json, const struct loaded *loaded,
                     const struct loaded_domain *domain)
{
    json_key(json, "domain");
    domain ? json_i64(json, domain_number(domain)) : json_null(json);
    json_put_text(json, "domain_name",
                  domain ? names_text(&loaded->names, domain->name) : NULL);
}

void json_put_filter(struct json *json, const struct selection *selection)
{
    char *text SCOPE_FREE = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    selection_print(selection, file);
    fclose(file);
    json_put_text(json, "filter", selection_filters(selection) ? text : NULL);
}

static void put_focus_kind(struct json *json, const char *key,
                           const struct focus *focus, enum focus_kind kind)
{
    bool any = false;

    for ( size_t i = 0; i < focus->count; i++ )
        any = any || focus->items[i].kind == kind;
    json_key(json, key);
    if ( !any )
    {
        json_null(json);
        return;
    }
    json_array_begin_flat(json);
    for ( size_t i = 0; i < focus->count; i++ )
        if ( focus->items[i].kind == kind )
            json_string(json, focus->items[i].text);
    json_array_end(json);
}

void json_put_patterns(struct json *json, const struct focus *focus)
{
    put_focus_kind(json, "focus", focus, FOCUS_ON);
    put_focus_kind(json, "ignore", focus, FOCUS_IGNORE);
}

void json_put_selection(struct json *json, const struct report *report,
                        const struct profile *profile)
{
    json_key(json, "selected");
    json_object_begin_flat(json);
    json_put_filter(json, &report->query->selection);
    json_put_patterns(json, &report->query->focus);
    json_put_number(json, "samples", profile->samples);
    json_put_number(json, type_member(report->loaded), profile->time);
    json_object_end(json);
}

/* The kind of a frame that is not code at a known address. */
static const char *const marks[] = {
    [FRAME_CODE] = NULL,
    [FRAME_UNKNOWN] = NULL,
    [FRAME_TRUNCATED] = "truncated",
    [FRAME_MOVED] = "guest moved",
    [FRAME_GUEST] = "guest unknown",
};

static void put_json_frame(struct json *json, const struct loaded *loaded,
                           const struct frame *frame)
{
    const char *mark = marks[frame->key.kind];
    uint64_t start = frame->key.address ? frame->key.address : frame->start;
    char address[20];

    snprintf(address, sizeof(address), "0x%" PRIx64, start);
    json_object_begin_flat(json);
    json_put_text(json, "mode",
                  mark ? NULL : xenoprof_mode_name(frame->key.mode));
    json_put_text(json, "image", names_text(&loaded->names, frame->key.image));
    json_put_text(json, "symbol",
                  names_text(&loaded->names, frame->key.symbol));
    json_put_text(json, "address", start ? address : NULL);
    if ( frame->key.area == AREA_USER )
        json_put_text(json, "comm",
                      names_text(&loaded->names, frame->key.comm));
    if ( frame->key.line )
    {
        json_put_text(json, "path",
                      names_text(&loaded->names, frame->key.path));
        json_put_number(json, "line", frame->key.line);
    }
    json_put_text(json, "mark", mark);
    json_object_end(json);
}

void json_put_frames(struct json *json, const struct report *report)
{
    json_key(json, "frames");
    json_array_begin(json);
    for ( size_t i = 0; i < report->stacks->frames.count; i++ )
        put_json_frame(json, report->loaded,
                       stacks_frame(report->stacks, (uint32_t)i));
    json_array_end(json);
}

void json_put_chain(struct json *json, const struct stacks *stacks,
                    uint32_t chain)
{
    const struct chain *found = stacks_chain(stacks, chain);
    const uint32_t *frames = chain_frames(stacks, found);

    json_key(json, "stack");
    json_array_begin_flat(json);
    for ( uint32_t i = 0; i < found->count; i++ )
        json_u64(json, frames[i]);
    json_array_end(json);
}

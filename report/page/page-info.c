/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Makes the JSON of a page. */
#include "page-info.h"

#include "base/must.h"
#include "page-markers.h"
#include "page-waits.h"
#include "page-why.h"
#include "base/scope.h"
#include "report/archive/aliases.h"
#include "report/model/domain-text.h"
#include "report/cells/own-cost.h"
#include "report/text/json-members.h"
#include "report/text/json-session.h"
#include "report/model/report.h"
#include "libxenoprof/session/session-attributes.h"

#include <stdlib.h>
#include <string.h>

/* The page's number of an image is its index + 1. */
struct page_image {
    struct {
        uint64_t name; /* in loaded.names */
    } key;
};

static const struct frame *frame_at(const struct page_info *info, size_t i)
{
    return stacks_frame(info->report->stacks, info->nodes->frames[i]);
}

void page_info_selection(struct json *json, const struct report *report)
{
    const struct loaded *loaded = report->loaded;

    json_put_filter(json, &report->query->selection);
    json_key(json, "notes");
    json_array_begin(json);
    for ( size_t i = 0; i < loaded->attributes.count; i++ )
    {
        const struct attribute *attribute = &loaded->attributes.items[i];
        const char *key = names_text(&loaded->names, attribute->key);

        if ( !strcmp(key, SESSION_ATTRIBUTE_STOPPED) ||
             !strcmp(key, SESSION_ATTRIBUTE_WARNING) ||
             !strcmp(key, SESSION_ATTRIBUTE_MERGED) )
            json_string(json, names_text(&loaded->names, attribute->value));
    }
    json_array_end(json);
}

/* How much later than the page's first bin the page's time ends, which is the
 * session's or the part's that is wanted. */
static uint64_t page_length(const struct report *report)
{
    const struct loaded *loaded = report->loaded;
    const struct timeline *timeline = &loaded->timeline;
    const uint64_t start = timeline_start(timeline);
    uint64_t last = loaded->last;
    struct time_span span;

    if ( time_range_resolve(&report->query->selection.range, &loaded->clocks,
                            &span) &&
         span.to < last )
        last = span.to;
    return last > start ? last - start : 0;
}

static void put_timeline(struct json *json, const struct report *report)
{
    const struct loaded *loaded = report->loaded;
    const struct timeline *timeline = &loaded->timeline;
    const uint64_t over = timeline_over(timeline);
    const uint64_t slot = loaded->slots.width * XENOPROF_SECOND;
    uint64_t slot_bins = 1;

    if ( timeline->begun && slot > timeline->width )
        slot_bins = slot / timeline->width;
    json_key(json, "timeline");
    json_object_begin_flat(json);
    json_put_number(json, "since_ns", loaded_since(loaded, timeline->begin));
    json_put_number(json, "over_ns",
                    timeline->begin - timeline_start(timeline));
    json_put_number(json, "length_ns", page_length(report));
    json_put_number(json, "bin_ns", timeline->width);
    json_put_number(json, "bins",
                    timeline->bins > over ? timeline->bins - over : 0);
    /* How long a slot of time is, and how much of the first one is over when
     * the page begins. */
    json_put_number(json, "slot_bins", slot_bins);
    json_put_number(json, "slot_over", over % slot_bins);
    json_key(json, "pcpus_known");
    json_bool(json, loaded->slots.accounted);
    json_object_end(json);
}

static void put_domain_names(struct json *json, const struct loaded *loaded)
{
    json_key(json, "domain_names");
    json_array_begin(json);
    for ( size_t i = 0; i < loaded->domains.count; i++ )
    {
        char *text SCOPE_FREE = domain_text(loaded, (uint32_t)i);

        json_string(json, text);
    }
    json_array_end(json);
}

/* Of each domain: what of its time was the profiler's. */
static void put_own(struct json *json, const struct loaded *loaded)
{
    json_key(json, "profiler_ns");
    json_array_begin_flat(json);
    for ( uint32_t i = 0; i < loaded->domains.count; i++ )
        json_u64(json, own_cost_of(loaded, i));
    json_array_end(json);
}

static void put_lanes(struct json *json, const struct table *lanes,
                      const struct why_page *why)
{
    json_key(json, "lanes");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < lanes->count; i++ )
    {
        const struct lane *lane = table_at(lanes, i);

        json_u64(json, lane->key.domain);
        json_u64(json, lane->key.vcpu);
        json_u64(json, lane->key.entry);
        json_u64(json, lane->key.comm);
        json_u64(json, lane->key.reason
                           ? page_why_number(why, lane->key.reason - 1)
                           : 0);
    }
    json_array_end(json);
}

static void put_name_list(struct json *json, const char *key,
                          const struct names *names)
{
    json_key(json, key);
    json_array_begin(json);
    for ( size_t i = 0; i < names->count; i++ )
        json_string(json, names->items[i]);
    json_array_end(json);
}

static void put_frame_names(struct json *json, const struct page_info *info)
{
    json_key(json, "frame_names");
    json_array_begin(json);
    for ( size_t i = 0; i < info->nodes->frame_count; i++ )
    {
        char *name SCOPE_FREE = frame_symbol(info->texts, frame_at(info, i));

        json_string(json, name);
    }
    json_array_end(json);
}

/* Whose names a page without names keeps. */
static void put_public_images(struct json *json, const struct page_info *info,
                              const struct table *images)
{
    const struct names *names = &info->report->loaded->names;

    json_key(json, "image_public");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < images->count; i++ )
    {
        const struct page_image *image = table_at(images, i);
        const char *name = names_text(names, (uint32_t)image->key.name);

        json_bool(json, image_is_public(name));
    }
    json_array_end(json);
}

static void put_images(struct json *json, const struct page_info *info,
                       struct bytes *images)
{
    struct table table;

    table_init(&table, sizeof(((struct page_image *)0)->key),
               sizeof(struct page_image));
    json_key(json, "image_names");
    json_array_begin(json);
    for ( size_t i = 0; i < info->nodes->frame_count; i++ )
    {
        const struct frame *frame = frame_at(info, i);
        uint64_t name = frame->key.image;
        size_t count = table.count;
        const struct page_image *image = name ? must(table_put(&table, &name))
                                              : NULL;

        if ( table.count > count )
            json_string(
                json, names_text(&info->report->loaded->names, (uint32_t)name));
        bytes_number(images, image ? table_index(&table, image) + 1 : 0);
    }
    json_array_end(json);
    put_public_images(json, info, &table);
    table_free(&table);
}

static void put_page_info(const struct page_info *info, struct json *json,
                          struct bytes *images)
{
    const struct report *report = info->report;
    const struct profile profile = {.time_all = info->nodes->tree->time_all};
    char *title SCOPE_FREE = session_title(report->name, report->loaded);
    struct why_page why;

    why_page_init(&why, report);
    json_object_begin(json);
    json_put_number(json, "version", PAGE_VERSION);
    json_put_session(json, report, &profile);
    json_put_text(json, "title", title);
    page_info_selection(json, report);
    put_timeline(json, report);
    put_lanes(json, &info->events->lanes, &why);
    put_name_list(json, "entry_names", &info->events->entries);
    put_name_list(json, "comm_names", &info->events->comms);
    put_own(json, report->loaded);
    put_domain_names(json, report->loaded);
    put_frame_names(json, info);
    put_images(json, info, images);
    page_verdict_put(json, report, info->nodes);
    page_why_put(json, &why);
    page_waits_put_rows(report->loaded, json);
    page_markers_put(json, report);
    json_object_end(json);
    why_page_free(&why);
    json_finish(json);
}

void page_info_put(const struct page_info *info, struct bytes *json,
                   struct bytes *images, struct bytes *modes)
{
    char *text SCOPE_FREE = NULL;
    size_t size = 0;
    FILE *file = must(open_memstream(&text, &size));
    struct json writer;

    json_init(&writer, file);
    put_page_info(info, &writer, images);
    must_do(!fclose(file));
    bytes_put(json, text, size);
    for ( size_t i = 0; i < info->nodes->frame_count; i++ )
    {
        const struct frame_key *key = &frame_at(info, i)->key;
        bool code = key->kind == FRAME_CODE || key->kind == FRAME_UNKNOWN;

        bytes_number(modes, code ? key->mode : XENOPROF_MODES);
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf-sample.h"

#include "base/must.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define EVENTS_MAX      65536u
#define BRANCH_HW_INDEX (1u << 17) /* PERF_SAMPLE_BRANCH_HW_INDEX */
#define READ_LOST       (1u << 4)  /* PERF_FORMAT_LOST */
#define BRANCH_WORDS    3u

struct perf_event_id {
    uint64_t id;
    size_t index;
};

void perf_events_init(struct perf_data_events *events)
{
    *events = (struct perf_data_events){.list = {.items = NULL}};
    table_init(&events->by_id, sizeof(uint64_t), sizeof(struct perf_event_id));
}

void perf_events_free(struct perf_data_events *events)
{
    for ( size_t i = 0; i < events->list.count; i++ )
        free(events->list.items[i].name);
    vector_free(&events->list);
    table_free(&events->by_id);
}

size_t perf_events_add(struct perf_data_events *events, const uint8_t *bytes,
                       size_t size)
{
    struct perf_event *event;

    if ( size < PERF_ATTR_SIZE_VER0 || events->list.count >= EVENTS_MAX )
        return SIZE_MAX;
    event = must(vector_add(&events->list));
    memcpy(&event->attr, bytes,
           size < sizeof(event->attr) ? size : sizeof(event->attr));
    return events->list.count - 1;
}

void perf_events_identify(struct perf_data_events *events, size_t index,
                          uint64_t id)
{
    struct perf_event_id *row = must(table_put(&events->by_id, &id));

    row->index = index;
}

void perf_events_call(struct perf_data_events *events, size_t index,
                      const char *name, size_t size)
{
    struct perf_event *event = &events->list.items[index];

    free(event->name);
    event->name = must(strndup(name, size));
}

size_t perf_events_find(const struct perf_data_events *events, uint64_t id)
{
    const struct perf_event_id *row = table_find(&events->by_id, &id);

    return row ? row->index : SIZE_MAX;
}

static const char *const hardware_names[] = {
    "cycles",
    "instructions",
    "cache-references",
    "cache-misses",
    "branches",
    "branch-misses",
    "bus-cycles",
    "stalled-cycles-frontend",
    "stalled-cycles-backend",
    "ref-cycles",
};

static const char *const software_names[] = {
    "cpu-clock",        "task-clock",   "page-faults",  "context-switches",
    "cpu-migrations",   "minor-faults", "major-faults", "alignment-faults",
    "emulation-faults", "dummy",        "bpf-output",   "cgroup-switches",
};

char *perf_event_name(const struct perf_event *event)
{
    const uint64_t config = event->attr.config;

    if ( event->name && *event->name )
        return must(strdup(event->name));
    if ( event->attr.type == PERF_TYPE_HARDWARE &&
         config < sizeof(hardware_names) / sizeof(hardware_names[0]) )
        return must(strdup(hardware_names[config]));
    if ( event->attr.type == PERF_TYPE_SOFTWARE &&
         config < sizeof(software_names) / sizeof(software_names[0]) )
        return must(strdup(software_names[config]));
    return must_text("type %u, 0x%" PRIx64, event->attr.type, config);
}

static void take_tid(struct cursor *from, struct perf_when *ret)
{
    ret->pid = perf_u32(from);
    ret->tid = perf_u32(from);
}

static void skip_words(struct cursor *from, uint64_t words)
{
    if ( words > cursor_left(from) / sizeof(uint64_t) )
        from->bad = true;
    else
        from->at += words * sizeof(uint64_t);
}

static void take_words(struct cursor *from, uint64_t words, struct cursor *ret)
{
    ret->at = from->at;
    skip_words(from, words);
    ret->end = from->at;
}

/* Which event: by its number, which is first, or at the same place in all. */
static struct perf_event *find_event(const struct perf_data_events *events,
                                     struct cursor body)
{
    const uint64_t type = events->list.count
                              ? events->list.items[0].attr.sample_type
                              : 0;
    static const uint64_t before[] = {PERF_SAMPLE_IP, PERF_SAMPLE_TID,
                                      PERF_SAMPLE_TIME, PERF_SAMPLE_ADDR};
    size_t index = 0;

    if ( !events->list.count )
        return NULL;
    if ( events->list.count > 1 && events->by_id.count )
    {
        for ( size_t i = 0; !(type & PERF_SAMPLE_IDENTIFIER) &&
                            i < sizeof(before) / sizeof(before[0]);
              i++ )
            skip_words(&body, !!(type & before[i]));
        if ( type & (PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_ID) )
            index = perf_events_find(events, perf_u64(&body));
    }
    return index < events->list.count ? &events->list.items[index] : NULL;
}

/* What counters had counted. */
static void skip_read(struct cursor *from, uint64_t format)
{
    const uint64_t times = !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
                           !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
    const uint64_t each = 1 + !!(format & PERF_FORMAT_ID) +
                          !!(format & READ_LOST);
    uint64_t counters;

    if ( !(format & PERF_FORMAT_GROUP) )
    {
        skip_words(from, times + each);
        return;
    }
    counters = perf_u64(from);
    skip_words(from, times);
    if ( counters > cursor_left(from) )
        from->bad = true;
    else
        skip_words(from, counters * each);
}

static void take_branches(struct cursor *from,
                          const struct perf_event_attr *attr,
                          struct cursor *ret)
{
    const uint64_t count = perf_u64(from);

    skip_words(from, !!(attr->branch_sample_type & BRANCH_HW_INDEX));
    if ( count > cursor_left(from) )
        from->bad = true;
    else
        take_words(from, count * BRANCH_WORDS, ret);
}

static void skip_raw(struct cursor *from)
{
    const uint64_t size = perf_u32(from);

    if ( size > cursor_left(from) )
        from->bad = true;
    else
        from->at += size;
}

static void take_stack(struct cursor *from, struct cursor *ret)
{
    const uint64_t size = perf_u64(from);
    uint64_t used;

    if ( !size )
        return;
    take_words(from, size / sizeof(uint64_t), ret);
    used = perf_u64(from);
    if ( used < cursor_left(ret) )
        ret->end = ret->at + used;
}

/* The second half, which fewer samples have. */
static void take_rest(struct cursor *from, const struct perf_event_attr *attr,
                      struct perf_data_sample *ret)
{
    const uint64_t type = attr->sample_type;

    if ( type & PERF_SAMPLE_READ )
        skip_read(from, attr->read_format);
    if ( type & PERF_SAMPLE_CALLCHAIN )
    {
        const uint64_t count = perf_u64(from);

        take_words(from, count, &ret->chain);
    }
    if ( type & PERF_SAMPLE_RAW )
        skip_raw(from);
    if ( type & PERF_SAMPLE_BRANCH_STACK )
        take_branches(from, attr, &ret->branch);
    if ( type & PERF_SAMPLE_REGS_USER )
    {
        const uint64_t abi = perf_u64(from);

        ret->has_registers = abi == PERF_SAMPLE_REGS_ABI_64;
        if ( abi )
            take_words(from,
                       (uint64_t)__builtin_popcountll(attr->sample_regs_user),
                       &ret->registers);
    }
    if ( type & PERF_SAMPLE_STACK_USER )
        take_stack(from, &ret->stack);
}

bool perf_sample_read(const struct perf_data_events *events, struct cursor body,
                      struct perf_data_sample *ret)
{
    uint64_t type;

    *ret = (struct perf_data_sample){.event = find_event(events, body)};
    if ( !ret->event )
        return false;
    type = ret->event->attr.sample_type;
    skip_words(&body, !!(type & PERF_SAMPLE_IDENTIFIER));
    if ( type & PERF_SAMPLE_IP )
        ret->ip = perf_u64(&body);
    if ( type & PERF_SAMPLE_TID )
        take_tid(&body, &ret->when);
    ret->when.timed = type & PERF_SAMPLE_TIME;
    if ( ret->when.timed )
        ret->when.time = perf_u64(&body);
    skip_words(&body, !!(type & PERF_SAMPLE_ADDR) + !!(type & PERF_SAMPLE_ID) +
                          !!(type & PERF_SAMPLE_STREAM_ID));
    if ( type & PERF_SAMPLE_CPU )
    {
        ret->when.cpu = perf_u32(&body);
        perf_u32(&body);
    }
    ret->period = ret->event->attr.freq ? 1 : ret->event->attr.sample_period;
    if ( type & PERF_SAMPLE_PERIOD )
        ret->period = perf_u64(&body);
    take_rest(&body, &ret->event->attr, ret);
    return !body.bad;
}

void perf_when_read(const struct perf_data_events *events,
                    const struct cursor *body, struct perf_when *ret)
{
    const struct perf_event_attr *attr = events->list.count
                                             ? &events->list.items[0].attr
                                             : NULL;
    const uint64_t type = attr ? attr->sample_type : 0;
    static const uint64_t parts[] = {PERF_SAMPLE_TID, PERF_SAMPLE_TIME,
                                     PERF_SAMPLE_ID,  PERF_SAMPLE_STREAM_ID,
                                     PERF_SAMPLE_CPU, PERF_SAMPLE_IDENTIFIER};
    struct cursor from = *body;
    size_t words = 0;

    *ret = (struct perf_when){.timed = false};
    for ( size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++ )
        words += !!(type & parts[i]);
    if ( !attr || !attr->sample_id_all ||
         words * sizeof(uint64_t) > cursor_left(body) )
        return;
    from.at = from.end - words * sizeof(uint64_t);
    if ( type & PERF_SAMPLE_TID )
        take_tid(&from, ret);
    ret->timed = type & PERF_SAMPLE_TIME;
    if ( ret->timed )
        ret->time = perf_u64(&from);
    skip_words(&from,
               !!(type & PERF_SAMPLE_ID) + !!(type & PERF_SAMPLE_STREAM_ID));
    if ( type & PERF_SAMPLE_CPU )
        ret->cpu = perf_u32(&from);
}

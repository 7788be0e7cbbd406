/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.data, from a file or from a pipe: a host that perf recorded, or a guest
 * in itself, is one domain, called as it calls itself; guests that a KVM host's
 * perf saw are another.
 */
#include "report/import/import-formats.h"

#include "base/must.h"
#include "base/scope.h"
#include "libxenoprof/session/session-attributes.h"
#include "perf-chain.h"
#include "perf-features.h"
#include "perf-queue.h"
#include "perf-own.h"
#include "perf-stream.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define FEATURE_BYTES   (64u << 20)
#define ATTRS_BYTES     (16u << 20)
#define DECLARED_FIRST  32u /* events; more of them only if they have samples */
#define GUEST           "guest"
#define NO_PROCESS      UINT32_MAX
#define MMAP_DATA       PERF_RECORD_MISC_MMAP_DATA
#define MMAP2_FILE_SIZE 24u /* which file it is */

struct perf_reader {
    const struct import_file *file;
    struct sink *sink;
    struct failure *failure;
    struct perf_data_events events;
    struct perf_spaces spaces;
    struct perf_files files;
    struct perf_kernel kernel;
    struct perf_about about;
    struct perf_own own;
    struct perf_knowledge knowledge;
    struct perf_queue queue;
    struct perf_chains chains;
    struct perf_chain chain; /* large */
    bool begun;              /* there was a sample */
    bool cut;                /* perf was ended, or the file is cut */
    uint64_t last;           /* time */
    uint64_t lost, lost_samples, throttled, bad;
};

bool is_perf(const struct import_head *head)
{
    return head->size >= PERF_MAGIC_SIZE &&
           (!memcmp(head->bytes, PERF_MAGIC, PERF_MAGIC_SIZE) ||
            !memcmp(head->bytes, PERF_MAGIC_OTHER, PERF_MAGIC_SIZE));
}

static enum exit_status refuse_perf(const struct perf_reader *reader,
                                    const char *what)
{
    return fail(reader->failure, STATUS_BAD_SESSION,
                "%s cannot be read as perf.data: %s", reader->file->path, what);
}

/* Types of counted ns have that unit, all others count themselves. */
static void declare_event(struct perf_reader *reader, struct perf_event *event)
{
    char *name SCOPE_FREE = perf_event_name(event);
    const bool clock = event->attr.type == PERF_TYPE_SOFTWARE &&
                       event->attr.config <= PERF_COUNT_SW_TASK_CLOCK;

    if ( !event->type )
        event->type = sink_event(
            reader->sink, name, clock ? "ns" : name, event->attr.config,
            event->attr.freq ? 0 : event->attr.sample_period);
}

static bool is_dummy(const struct perf_event *event)
{
    return event->attr.type == PERF_TYPE_SOFTWARE &&
           event->attr.config == PERF_COUNT_SW_DUMMY;
}

static void say_about(struct perf_reader *reader, uint64_t time)
{
    const struct perf_about *about = &reader->about;
    const char *release = reader->kernel.release;
    char *kernel SCOPE_FREE = release ? must_text("Linux %s", release) : NULL;
    char *pcpus SCOPE_FREE = must_text("%" PRIu32, about->pcpus);
    const struct {
        const char *key, *value;
    } attributes[] = {
        {SESSION_ATTRIBUTE_HOST, about->host},
        {SESSION_ATTRIBUTE_KERNEL, kernel},
        {SESSION_ATTRIBUTE_OPTIONS, about->command},
        {SESSION_ATTRIBUTE_PCPUS, about->pcpus ? pcpus : NULL},
    };

    for ( size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++ )
        if ( attributes[i].value )
            sink_attribute(reader->sink, time, attributes[i].key,
                           attributes[i].value);
    if ( about->utc_at && about->utc < INT64_MAX )
        sink_utc(reader->sink, about->utc_at, about->utc);
}

/* What is known of the host comes before the first sample. */
static void begin_samples(struct perf_reader *reader, uint64_t time)
{
    reader->begun = true;
    say_about(reader, time);
    if ( !reader->about.own )
        reader->chains.host = sink_domain_called(
            reader->sink,
            reader->about.host ? reader->about.host : reader->file->name);
    for ( size_t i = 0; i < reader->events.list.count && i < DECLARED_FIRST;
          i++ )
        if ( !is_dummy(&reader->events.list.items[i]) )
            declare_event(reader, &reader->events.list.items[i]);
}

static void set_thread(struct perf_reader *reader, const struct perf_when *when,
                       struct xenoprof_thread *ret)
{
    const struct perf_thread *thread = perf_thread(&reader->spaces, when->pid,
                                                   when->tid);

    ret->pid = when->pid;
    ret->tid = when->tid;
    if ( !when->pid && !*thread->comm )
        memcpy(ret->comm, "swapper", sizeof("swapper"));
    else if ( *thread->comm )
        memcpy(ret->comm, thread->comm, sizeof(ret->comm));
    else if ( !reader->about.own )
        snprintf(ret->comm, sizeof(ret->comm), ":%" PRId32, (int32_t)when->tid);
}

static void take_sample(struct perf_reader *reader,
                        const struct perf_record *record)
{
    const struct perf_owner owner = perf_owner_of(record->misc);
    struct xenoprof_stored stored = {.weight = 1, .mode = owner.mode};
    struct perf_data_sample sample;

    if ( !perf_sample_read(&reader->events, record->body, &sample) )
    {
        reader->bad++;
        return;
    }
    stored.time = sample.when.timed && sample.when.time ? sample.when.time
                                                        : SINK_START;
    if ( !reader->begun )
        begin_samples(reader, stored.time);
    if ( owner.guest && !reader->chains.guest )
        reader->chains.guest = sink_domain_called(reader->sink, GUEST);
    declare_event(reader, sample.event);
    if ( reader->about.own )
        perf_own_domain(&reader->own, sample.when.pid, &reader->chains.host);
    perf_chain_make(&reader->chains, &sample, record->misc,
                    perf_space_of(&reader->spaces, sample.when.pid),
                    &reader->chain);
    stored.domain = owner.guest ? reader->chains.guest : reader->chains.host;
    if ( reader->about.own )
    {
        const struct perf_where where = {.domain = stored.domain,
                                         .mode = owner.mode};

        stored.mode = perf_place_mode(reader->chains.places, &where, sample.ip);
    }
    stored.vcpu = stored.pcpu = (uint16_t)sample.when.cpu;
    stored.type = sample.event->type;
    stored.count = sample.period < XENOPROF_COUNT_MAX ? sample.period
                                                      : XENOPROF_COUNT_MAX;
    if ( reader->chain.truncated )
        stored.marks |= XENOPROF_MARK_TRUNCATED;
    set_thread(reader, &sample.when, &stored.thread);
    if ( stored.time > reader->last )
        reader->last = stored.time;
    sink_sample(reader->sink, &stored, reader->chain.places,
                reader->chain.count);
}

static void map_kernel(struct perf_reader *reader, uint32_t pid, uint16_t misc,
                       const struct perf_data_map *map, const char *path)
{
    if ( (misc & PERF_MISC_MODE) == PERF_RECORD_MISC_KERNEL &&
         pid == NO_PROCESS )
        perf_kernel_map(&reader->kernel, path, map->start,
                        map->end - map->start, map->offset);
}

static void take_map(struct perf_reader *reader,
                     const struct perf_record *record)
{
    const bool second = record->type == PERF_RECORD_MMAP2;
    struct cursor body = record->body;
    const uint32_t pid = perf_u32(&body);
    struct perf_build_id id = {.size = 0};
    struct perf_data_map map;
    const uint8_t *which = NULL;
    const char *path;

    perf_u32(&body); /* thread */
    map.start = perf_u64(&body);
    map.end = map.start + perf_u64(&body);
    map.offset = perf_u64(&body);
    if ( second )
    {
        which = get_bytes(&body, MMAP2_FILE_SIZE);
        perf_u64(&body); /* protection, flags */
    }
    path = perf_text(&body, cursor_left(&body));
    if ( !path || map.end < map.start || record->misc & MMAP_DATA )
        return;
    if ( (record->misc & PERF_MISC_MODE) != PERF_RECORD_MISC_USER )
    {
        map_kernel(reader, pid, record->misc, &map, path);
        return;
    }
    if ( which && record->misc & PERF_MISC_BUILD_ID &&
         which[0] <= PERF_BUILD_ID_MAX )
    {
        id.size = which[0];
        memcpy(id.bytes, which + 4, id.size);
    }
    map.file = perf_files_number(&reader->files, path, &id);
    perf_space_map(&reader->spaces, pid, &map);
}

static void take_comm(struct perf_reader *reader,
                      const struct perf_record *record)
{
    struct cursor body = record->body;
    const uint32_t pid = perf_u32(&body), tid = perf_u32(&body);
    const char *comm = perf_text(&body, cursor_left(&body));

    if ( comm && reader->about.own )
        comm = perf_own_name(&reader->own, reader->sink, pid, comm);
    if ( comm )
        perf_thread_call(&reader->spaces, pid, tid, comm,
                         record->misc & PERF_MISC_EXEC);
}

static void take_fork(struct perf_reader *reader,
                      const struct perf_record *record)
{
    struct cursor body = record->body;
    const uint32_t pid = perf_u32(&body), parent = perf_u32(&body);
    const uint32_t tid = perf_u32(&body), parent_tid = perf_u32(&body);

    if ( body.bad )
        return;
    if ( record->type == PERF_RECORD_FORK )
        perf_thread_fork(&reader->spaces, pid, tid, parent, parent_tid);
    else
        perf_thread_end(&reader->spaces, pid, tid);
}

static void take_lost(struct perf_reader *reader,
                      const struct perf_record *record)
{
    struct cursor body = record->body;

    if ( record->type == PERF_RECORD_LOST_SAMPLES )
        reader->lost_samples += perf_u64(&body);
    else
    {
        perf_u64(&body); /* of which event */
        reader->lost += perf_u64(&body);
    }
}

static void take_function(struct perf_reader *reader,
                          const struct perf_record *record)
{
    struct cursor body = record->body;
    const uint64_t start = perf_u64(&body);
    const uint32_t size = perf_u32(&body), kind = perf_u32(&body);
    const char *name = perf_text(&body, cursor_left(&body));

    if ( name && *name )
        perf_kernel_function(&reader->kernel, name, start, size,
                             kind >> 16 & PERF_RECORD_KSYMBOL_FLAGS_UNREGISTER);
}

static void take_throttle(struct perf_reader *reader,
                          const struct perf_record *record)
{
    (void)record;
    reader->throttled++;
}

typedef void take_perf_fn(struct perf_reader *reader,
                          const struct perf_record *record);

/* Records of the kernel's, which have times. */
static take_perf_fn *const perf_takers[] = {
    [PERF_RECORD_MMAP] = take_map,
    [PERF_RECORD_MMAP2] = take_map,
    [PERF_RECORD_COMM] = take_comm,
    [PERF_RECORD_FORK] = take_fork,
    [PERF_RECORD_EXIT] = take_fork,
    [PERF_RECORD_LOST] = take_lost,
    [PERF_RECORD_LOST_SAMPLES] = take_lost,
    [PERF_RECORD_SAMPLE] = take_sample,
    [PERF_RECORD_KSYMBOL] = take_function,
    [PERF_RECORD_THROTTLE] = take_throttle,
};

static void take_in_order(void *argument, const struct perf_record *record)
{
    struct perf_reader *reader = argument;

    if ( !reader->failure->status )
        perf_takers[record->type](reader, record);
}

/* What has no time comes before all that has, as perf made it up to say what
 * was there when it began. */
static void take_by_time(struct perf_reader *reader,
                         const struct perf_record *record)
{
    struct perf_data_sample sample = {.when = {.timed = false}};
    struct perf_when *when = &sample.when;

    if ( record->type >= sizeof(perf_takers) / sizeof(perf_takers[0]) ||
         !perf_takers[record->type] )
        return;
    if ( record->type == PERF_RECORD_SAMPLE )
        perf_sample_read(&reader->events, record->body, &sample);
    else
        perf_when_read(&reader->events, &record->body, when);
    if ( when->timed && when->time && when->time != UINT64_MAX )
        perf_queue_put(&reader->queue, when->time, record);
    else
        take_in_order(reader, record);
}

static void take_attr(struct perf_reader *reader, const struct cursor *body)
{
    struct cursor from = *body;
    uint32_t size;
    size_t index;

    perf_u32(&from); /* type */
    size = perf_u32(&from);
    if ( size > cursor_left(body) )
        size = (uint32_t)cursor_left(body);
    index = perf_events_add(&reader->events, body->at, size);
    if ( index == SIZE_MAX )
        return;
    for ( from = (struct cursor){body->at + size, body->end, false};
          cursor_left(&from) >= sizeof(uint64_t); )
        perf_events_identify(&reader->events, index, perf_u64(&from));
}

static void take_update(struct perf_reader *reader, struct cursor body)
{
    const uint64_t kind = perf_u64(&body);
    const size_t index = perf_events_find(&reader->events, perf_u64(&body));
    const char *name = perf_text(&body, cursor_left(&body));

    if ( kind == PERF_UPDATE_NAME && name && index < reader->events.list.count )
        perf_events_call(&reader->events, index, name, strlen(name));
}

static void take_record(struct perf_reader *reader,
                        const struct perf_record *record)
{
    struct cursor body = record->body;
    uint64_t feature;

    switch ( record->type )
    {
    case PERF_ADDED_FINISHED_ROUND: perf_queue_round(&reader->queue); return;
    case PERF_ADDED_HEADER_ATTR: take_attr(reader, &body); return;
    case PERF_ADDED_EVENT_UPDATE: take_update(reader, body); return;
    case PERF_ADDED_BUILD_ID:
        perf_build_id_take(&reader->knowledge, record->misc, body);
        return;
    case PERF_ADDED_HEADER_FEATURE:
        feature = perf_u64(&body);
        perf_feature_take(&reader->knowledge, feature, body);
        return;
    default: take_by_time(reader, record); return;
    }
}

static void say_flaws(struct perf_reader *reader)
{
    char *text SCOPE_FREE = NULL;

    if ( reader->cut )
        sink_attribute(reader->sink, reader->last, SESSION_ATTRIBUTE_WARNING,
                       "perf did not end this file: it was killed, or the "
                       "file is a part of it");
    if ( !reader->bad )
        return;
    text = must_text("%" PRIu64 " samples of perf make no sense, and are left "
                     "out",
                     reader->bad);
    sink_attribute(reader->sink, reader->last, SESSION_ATTRIBUTE_WARNING, text);
}

static enum exit_status read_records(struct perf_reader *reader,
                                     struct perf_stream *stream)
{
    struct perf_record record;
    const char *wrong;

    while ( !reader->failure->status &&
            perf_stream_next(stream, &record, &wrong) )
        take_record(reader, &record);
    if ( reader->failure->status )
        return reader->failure->status;
    if ( wrong )
        return fail(reader->failure, STATUS_BAD_SESSION,
                    "%s cannot be read as perf.data: at byte %" PRIu64 " %s",
                    reader->file->path, perf_stream_offset(stream), wrong);
    perf_queue_end(&reader->queue);
    if ( !reader->failure->status && !reader->begun )
        return refuse_perf(reader, "it has no samples");
    reader->cut |= perf_stream_cut(stream);
    say_flaws(reader);
    sink_lost(reader->sink, reader->lost > reader->lost_samples
                                ? reader->lost
                                : reader->lost_samples);
    return reader->failure->status;
}

/* Returns so many bytes of the file, malloc'ed; or NULL if they are not
 * there. */
static uint8_t *read_part(const struct perf_reader *reader, uint64_t offset,
                          uint64_t size, uint64_t most)
{
    uint8_t *bytes;

    if ( size > most || offset > INT64_MAX )
        return NULL;
    bytes = must(malloc((size_t)size + 1));
    if ( pread(reader->file->fd, bytes, (size_t)size, (off_t)offset) ==
         (ssize_t)size )
        return bytes;
    free(bytes);
    return NULL;
}

static bool read_ids(struct perf_reader *reader, size_t index,
                     const struct perf_section *ids)
{
    uint8_t *bytes SCOPE_FREE = read_part(reader, ids->offset, ids->size,
                                          ATTRS_BYTES);
    struct cursor from;

    if ( !bytes )
        return false;
    from = (struct cursor){bytes, bytes + ids->size, false};
    while ( cursor_left(&from) >= sizeof(uint64_t) )
        perf_events_identify(&reader->events, index, perf_u64(&from));
    return true;
}

static bool read_attrs(struct perf_reader *reader, const struct perf_head *head)
{
    uint8_t *bytes SCOPE_FREE = read_part(reader, head->attrs.offset,
                                          head->attrs.size, ATTRS_BYTES);
    const size_t tail = sizeof(struct perf_section);

    if ( !bytes || head->attr_size < PERF_ATTR_SIZE_VER0 + tail )
        return false;
    for ( uint64_t at = 0; head->attrs.size - at >= head->attr_size;
          at += head->attr_size )
    {
        const size_t size = (size_t)head->attr_size - tail;
        const size_t index = perf_events_add(&reader->events, bytes + at, size);
        struct perf_section ids;

        memcpy(&ids, bytes + at + size, sizeof(ids));
        if ( index == SIZE_MAX || !read_ids(reader, index, &ids) )
            return false;
    }
    return reader->events.list.count;
}

/* What is behind the records; there is none of it if perf was ended. */
static void read_features(struct perf_reader *reader,
                          const struct perf_head *head)
{
    uint64_t at = head->data.offset + head->data.size;

    for ( unsigned int i = 0; i < PERF_FEATURES; i++ )
    {
        uint8_t *where SCOPE_FREE = NULL, *bytes SCOPE_FREE = NULL;
        struct perf_section section;

        if ( !(head->features[i / 64] >> (i % 64) & 1) )
            continue;
        where = read_part(reader, at, sizeof(section), sizeof(section));
        if ( !where )
            return;
        memcpy(&section, where, sizeof(section));
        at += sizeof(section);
        bytes = read_part(reader, section.offset, section.size, FEATURE_BYTES);
        if ( bytes )
            perf_feature_take(
                &reader->knowledge, i,
                (struct cursor){bytes, bytes + section.size, false});
    }
}

/* 0 is what perf writes before it knows: records go to the file's end, where
 * they end in any case. */
static uint64_t records_size(struct perf_reader *reader,
                             const struct perf_head *head)
{
    const uint64_t most = reader->file->size - head->data.offset;

    reader->cut = !head->data.size || head->data.size > most;
    return reader->cut ? most : head->data.size;
}

/* Reads what is before the records, and opens these. */
static struct perf_stream *open_stream(struct perf_reader *reader)
{
    struct perf_head head = {.size = 0};
    const int fd = reader->file->fd;

    if ( pread(fd, &head, sizeof(head), 0) < (ssize_t)PERF_PIPE_SIZE )
        refuse_perf(reader, "it ends within its header");
    else if ( !memcmp(head.magic, PERF_MAGIC_OTHER, PERF_MAGIC_SIZE) )
        refuse_perf(reader, "it is of a machine with the other byte order: "
                            "give perf script's output, folded");
    else if ( head.size == PERF_PIPE_SIZE )
        return perf_stream_open(fd, PERF_PIPE_SIZE,
                                reader->file->size - PERF_PIPE_SIZE);
    else if ( head.size < sizeof(head) ||
              head.data.offset > reader->file->size ||
              !read_attrs(reader, &head) )
        refuse_perf(reader, "its header is damaged");
    else
    {
        if ( head.data.size )
            read_features(reader, &head);
        return perf_stream_open(fd, head.data.offset,
                                records_size(reader, &head));
    }
    return NULL;
}

static void open_reader(struct perf_reader *reader)
{
    perf_events_init(&reader->events);
    perf_spaces_init(&reader->spaces);
    perf_own_init(&reader->own);
    perf_files_init(&reader->files);
    perf_kernel_init(&reader->kernel);
    reader->knowledge = (struct perf_knowledge){
        &reader->about, &reader->events, &reader->files, &reader->kernel};
    reader->queue.take = take_in_order;
    reader->queue.argument = reader;
    reader->chains.places = perf_places_open(reader->sink, &reader->files,
                                             &reader->kernel);
    reader->chains.unwinder = perf_unwinder_open(&reader->files);
}

static void close_reader(struct perf_reader *reader)
{
    perf_unwinder_close(reader->chains.unwinder);
    perf_places_close(reader->chains.places);
    perf_queue_free(&reader->queue);
    perf_about_free(&reader->about);
    perf_kernel_free(&reader->kernel);
    perf_files_free(&reader->files);
    perf_own_free(&reader->own);
    perf_spaces_free(&reader->spaces);
    perf_events_free(&reader->events);
    free(reader);
}

enum exit_status read_perf(const struct import_file *file, struct sink *sink,
                           uint64_t *end, struct failure *failure)
{
    struct perf_reader *reader = must(calloc(1, sizeof(*reader)));
    struct perf_stream *stream;

    reader->file = file;
    reader->sink = sink;
    reader->failure = failure;
    open_reader(reader);
    stream = open_stream(reader);
    if ( stream )
        read_records(reader, stream);
    perf_stream_close(stream);
    *end = reader->last ? reader->last : SINK_START;
    close_reader(reader);
    return failure->status;
}

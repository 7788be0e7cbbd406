/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "perf-reader.h"

#include "base/must.h"
#include "base/scope.h"
#include "perf-stream.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#define FEATURE_BYTES   (64u << 20)
#define ATTRS_BYTES     (16u << 20)
#define NO_PROCESS      UINT32_MAX
#define MMAP_DATA       PERF_RECORD_MISC_MMAP_DATA
#define MMAP2_FILE_SIZE 24u /* which file it is */

static enum exit_status refuse_perf(const struct perf_reader *reader,
                                    const char *what)
{
    return fail(reader->failure, STATUS_BAD_SESSION,
                "%s cannot be read as perf.data: %s", reader->file->path, what);
}

static void take_sample(struct perf_reader *reader,
                        const struct perf_record *record)
{
    struct perf_data_sample sample;

    if ( !perf_sample_read(&reader->events, record->body, &sample) )
    {
        reader->bad++;
        return;
    }
    reader->calls->sample(reader->argument, record, &sample);
    reader->begun = true;
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
        comm = reader->calls->own_name(reader->argument, pid, comm);
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

typedef void take_perf_fn(struct perf_reader *reader,
                          const struct perf_record *record);

/* Records of the kernel's, which have times. */
static take_perf_fn *const perf_takers[] = {
    [PERF_RECORD_MMAP] = take_map,          [PERF_RECORD_MMAP2] = take_map,
    [PERF_RECORD_COMM] = take_comm,         [PERF_RECORD_FORK] = take_fork,
    [PERF_RECORD_EXIT] = take_fork,         [PERF_RECORD_LOST] = take_lost,
    [PERF_RECORD_LOST_SAMPLES] = take_lost, [PERF_RECORD_SAMPLE] = take_sample,
    [PERF_RECORD_KSYMBOL] = take_function,
};

/* A record has a time if it was waited for. */
static void take_in_order(void *argument, uint64_t time,
                          const struct perf_record *record)
{
    struct perf_reader *reader = argument;

    if ( reader->failure->status )
        return;
    if ( time && reader->calls->until )
        reader->calls->until(reader->argument, time);
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
        take_in_order(reader, 0, record);
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

void perf_reader_init(struct perf_reader *reader,
                      const struct import_file *file,
                      const struct perf_reader_calls *calls, void *argument,
                      struct failure *failure)
{
    memset(reader, 0, sizeof(*reader));
    reader->file = file;
    reader->failure = failure;
    reader->calls = calls;
    reader->argument = argument;
    perf_events_init(&reader->events);
    perf_spaces_init(&reader->spaces);
    perf_files_init(&reader->files);
    perf_kernel_init(&reader->kernel);
    reader->knowledge = (struct perf_knowledge){
        &reader->about, &reader->events, &reader->files, &reader->kernel};
    reader->queue.take = take_in_order;
    reader->queue.argument = reader;
}

void perf_reader_free(struct perf_reader *reader)
{
    perf_queue_free(&reader->queue);
    perf_about_free(&reader->about);
    perf_kernel_free(&reader->kernel);
    perf_files_free(&reader->files);
    perf_spaces_free(&reader->spaces);
    perf_events_free(&reader->events);
}

enum exit_status perf_reader_run(struct perf_reader *reader)
{
    struct perf_stream *stream = open_stream(reader);

    if ( stream )
        read_records(reader, stream);
    perf_stream_close(stream);
    return reader->failure->status;
}

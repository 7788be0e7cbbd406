/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Spaces by the number of their process, newest first, and those that may be
 * forgotten: which have ended, in the order in which they did, or were told. */
#include "space-history.h"

#include <stdlib.h>
#include <string.h>
#include <sys/queue.h>

struct kept_space {
    struct past_space space;
    LIST_ENTRY(kept_space) bucket;
    TAILQ_ENTRY(kept_space) end; /* once it may be forgotten */
    bool from_client;            /* so from the beginning */
    uint32_t threads;
    uint32_t text_size;
};

struct space_history {
    LIST_HEAD(, kept_space) buckets[PAST_PARTS];
    TAILQ_HEAD(, kept_space) ended;
    size_t room;
    uint64_t keep;
    struct space_history_counts counts;
};

static unsigned int bucket_of_process(int32_t tgid)
{
    return (uint32_t)tgid % PAST_PARTS;
}

struct space_history *space_history_open(size_t bytes, uint64_t keep)
{
    struct space_history *history = calloc(1, sizeof(*history));

    if ( !history )
        return NULL;
    TAILQ_INIT(&history->ended);
    history->room = bytes;
    history->keep = keep;
    return history;
}

static bool may_be_forgotten(const struct kept_space *kept)
{
    return kept->from_client || kept->space.until != UINT64_MAX;
}

static void forget_space(struct space_history *history, struct kept_space *kept)
{
    LIST_REMOVE(kept, bucket);
    if ( may_be_forgotten(kept) )
        TAILQ_REMOVE(&history->ended, kept, end);
    history->counts.spaces--;
    history->counts.bytes -= sizeof(*kept) +
                             kept->space.count * sizeof(*kept->space.mappings) +
                             kept->text_size;
    free(kept->space.mappings);
    free(kept->space.text);
    free(kept);
}

void space_history_close(struct space_history *history)
{
    if ( !history )
        return;
    for ( unsigned int i = 0; i < PAST_PARTS; i++ )
        while ( !LIST_EMPTY(&history->buckets[i]) )
            forget_space(history, LIST_FIRST(&history->buckets[i]));
    free(history);
}

/* Returns whether there is room for more bytes; makes it by forgetting what may
 * be, but for the one in use. */
static bool make_history_room(struct space_history *history, size_t bytes,
                              const struct kept_space *in_use)
{
    while ( history->counts.bytes + bytes > history->room )
    {
        struct kept_space *first = TAILQ_FIRST(&history->ended);

        if ( !first || first == in_use )
        {
            history->counts.refused++;
            return false;
        }
        forget_space(history, first);
        history->counts.dropped++;
    }
    return true;
}

/* The space of a process that goes on. */
static struct kept_space *living(const struct space_history *history,
                                 int32_t tgid)
{
    struct kept_space *kept;

    LIST_FOREACH(kept, &history->buckets[bucket_of_process(tgid)], bucket)
    if ( kept->space.tgid == tgid && kept->space.until == UINT64_MAX )
        return kept;
    return NULL;
}

/* The same, unless what happened then is in what is known of it. */
static struct kept_space *living_at(const struct space_history *history,
                                    int32_t tgid, uint64_t time)
{
    struct kept_space *kept = living(history, tgid);

    return kept && kept->space.known <= time ? kept : NULL;
}

static void end_space(struct space_history *history, struct kept_space *kept,
                      uint64_t time)
{
    if ( !may_be_forgotten(kept) )
        TAILQ_INSERT_TAIL(&history->ended, kept, end);
    kept->space.until = time;
}

static struct kept_space *begin_space(struct space_history *history,
                                      int32_t tgid, uint32_t threads,
                                      uint64_t time)
{
    struct kept_space *before = living(history, tgid), *kept;

    if ( before && time < before->space.known )
        return NULL;
    /* The number is another process's now: the end of the first was lost. */
    if ( before )
        end_space(history, before, time);
    if ( !make_history_room(history, sizeof(*kept), NULL) )
        return NULL;
    kept = calloc(1, sizeof(*kept));
    if ( !kept )
        return NULL;
    kept->space = (struct past_space){
        .tgid = tgid, .from = time, .until = UINT64_MAX};
    kept->space.known = time;
    kept->threads = threads;
    LIST_INSERT_HEAD(&history->buckets[bucket_of_process(tgid)], kept, bucket);
    history->counts.spaces++;
    history->counts.bytes += sizeof(*kept);
    return kept;
}

void space_history_process(struct space_history *history, int32_t tgid,
                           uint32_t threads, uint64_t time)
{
    begin_space(history, tgid, threads, time);
}

/* The space that the process had until this one began. */
static struct kept_space *find_before(const struct space_history *history,
                                      const struct kept_space *kept)
{
    struct kept_space *before;

    LIST_FOREACH(before, &history->buckets[bucket_of_process(kept->space.tgid)],
                 bucket)
    if ( before->space.tgid == kept->space.tgid && !before->from_client &&
         before->space.until == kept->space.from )
        return before;
    return NULL;
}

static bool same_code(const struct past_space *one,
                      const struct past_space *other)
{
    bool same = one->count == other->count;

    for ( uint32_t i = 0; same && i < one->count; i++ )
    {
        const struct past_mapping *a = &one->mappings[i];
        const struct past_mapping *b = &other->mappings[i];

        same = a->start == b->start && a->end == b->end &&
               a->offset == b->offset && a->inode == b->inode &&
               !strcmp(one->text + a->path, other->text + b->path);
    }
    return same;
}

/* So a process that is read again and again costs no room, and what has ended
 * need not make any. */
void space_history_settle(struct space_history *history, int32_t tgid)
{
    struct kept_space *kept = living(history, tgid), *before;

    before = kept ? find_before(history, kept) : NULL;
    if ( !before || !same_code(&before->space, &kept->space) )
        return;
    TAILQ_REMOVE(&history->ended, before, end);
    before->space.until = UINT64_MAX;
    before->space.known = kept->space.known;
    before->threads = kept->threads;
    forget_space(history, kept);
}

/* Copies what is mapped, all or nothing. */
static void copy_mappings(struct space_history *history,
                          const struct kept_space *from, struct kept_space *to)
{
    size_t size = from->space.count * sizeof(*to->space.mappings);

    if ( !make_history_room(history, size + from->text_size, from) )
        return;
    to->space.mappings = malloc(size);
    to->space.text = malloc(from->text_size);
    if ( !to->space.mappings || !to->space.text )
    {
        free(to->space.mappings);
        free(to->space.text);
        to->space.mappings = NULL;
        to->space.text = NULL;
        return;
    }
    memcpy(to->space.mappings, from->space.mappings, size);
    memcpy(to->space.text, from->space.text, from->text_size);
    to->space.count = from->space.count;
    to->text_size = from->text_size;
    history->counts.bytes += size + from->text_size;
}

void space_history_fork(struct space_history *history, int32_t parent,
                        int32_t child, uint64_t time)
{
    struct kept_space *to = begin_space(history, child, 1, time);
    const struct kept_space *from = living(history, parent);

    if ( to && from && from->space.count )
        copy_mappings(history, from, to);
}

void space_history_thread(struct space_history *history, int32_t tgid,
                          uint64_t time)
{
    struct kept_space *kept = living_at(history, tgid, time);

    if ( kept )
        kept->threads++;
}

void space_history_exec(struct space_history *history, int32_t tgid,
                        uint64_t time)
{
    begin_space(history, tgid, 1, time); /* an exec ends all other threads */
}

void space_history_tell(struct space_history *history, int32_t tgid,
                        uint64_t time)
{
    struct kept_space *kept = LIST_FIRST(
        &history->buckets[bucket_of_process(tgid)]);

    /* What of this process was said of that time or later is void. */
    while ( kept )
    {
        struct kept_space *next = LIST_NEXT(kept, bucket);

        if ( kept->space.tgid == tgid && kept->space.from >= time )
            forget_space(history, kept);
        else if ( kept->space.tgid == tgid && kept->space.until > time )
            end_space(history, kept, time);
        kept = next;
    }
    kept = begin_space(history, tgid, 1, time);
    if ( !kept )
        return;
    kept->from_client = true;
    TAILQ_INSERT_TAIL(&history->ended, kept, end);
}

void space_history_exit(struct space_history *history, int32_t tgid,
                        uint64_t time)
{
    struct kept_space *kept = living_at(history, tgid, time);

    if ( kept && !--kept->threads )
        end_space(history, kept, time);
}

void space_history_end_gone(struct space_history *history, unsigned int part,
                            bool (*has_ended)(int32_t tgid), uint64_t time)
{
    struct kept_space *kept;

    LIST_FOREACH(kept, &history->buckets[part], bucket)
    if ( !may_be_forgotten(kept) && has_ended(kept->space.tgid) )
        end_space(history, kept, time);
}

void space_history_expire(struct space_history *history, uint64_t now)
{
    struct kept_space *first;

    while ( (first = TAILQ_FIRST(&history->ended)) &&
            first->space.until != UINT64_MAX &&
            first->space.until + history->keep < now )
        forget_space(history, first);
}

/* Puts a mapping into its place in an array that has room for two more: what it
 * covers goes, what reaches out of it on either side is cut. */
static uint32_t insert_mapping(struct past_mapping *mappings, uint32_t count,
                               const struct past_mapping *mapping)
{
    uint32_t from = 0, to, pieces = 0;
    struct past_mapping piece[3];

    while ( from < count && mappings[from].end <= mapping->start )
        from++;
    for ( to = from; to < count && mappings[to].start < mapping->end; to++ )
        ;
    if ( from < to && mappings[from].start < mapping->start )
    {
        piece[pieces] = mappings[from];
        piece[pieces++].end = mapping->start;
    }
    piece[pieces++] = *mapping;
    if ( from < to && mappings[to - 1].end > mapping->end )
    {
        piece[pieces] = mappings[to - 1];
        piece[pieces].offset += mapping->end - piece[pieces].start;
        piece[pieces++].start = mapping->end;
    }
    memmove(mappings + from + pieces, mappings + to,
            (count - to) * sizeof(*mappings));
    memcpy(mappings + from, piece, pieces * sizeof(*mappings));
    return count - (to - from) + pieces;
}

/* Returns where the path is in the space's text, which is made longer if it is
 * not there yet; or UINT32_MAX if there is no memory. */
static uint32_t put_space_path(struct space_history *history,
                               struct kept_space *kept, const char *path,
                               size_t size)
{
    uint32_t at = 0;
    char *text;

    for ( ; at < kept->text_size; at += strlen(kept->space.text + at) + 1 )
        if ( !strcmp(kept->space.text + at, path) )
            return at;
    text = realloc(kept->space.text, kept->text_size + size);
    if ( !text )
        return UINT32_MAX;
    memcpy(text + at, path, size);
    kept->space.text = text;
    kept->text_size += size;
    history->counts.bytes += size;
    return at;
}

void space_history_map(struct space_history *history, int32_t tgid,
                       const struct past_mapping *mapping, const char *path)
{
    const size_t most = 2 * sizeof(*mapping);
    struct kept_space *kept = living_at(history, tgid, mapping->since);
    size_t size = strnlen(path, PAST_PATH_MAX) + 1;
    struct past_mapping *mappings, added = *mapping;
    uint32_t before;

    if ( !kept || mapping->start >= mapping->end || size > PAST_PATH_MAX )
        return;
    if ( kept->space.count + 2 > PAST_MAPPINGS_MAX ||
         kept->text_size + size > PAST_TEXT_MAX )
    {
        history->counts.refused++;
        return;
    }
    if ( !make_history_room(history, most + size, kept) )
        return;
    before = kept->space.count;
    mappings = realloc(kept->space.mappings, before * sizeof(*mappings) + most);
    if ( !mappings )
        return;
    kept->space.mappings = mappings;
    added.path = put_space_path(history, kept, path, size);
    if ( added.path == UINT32_MAX )
        return;
    kept->space.count = insert_mapping(mappings, before, &added);
    history->counts.bytes += ((size_t)kept->space.count - before) *
                             sizeof(*mappings);
}

const struct past_space *space_history_find(const struct space_history *history,
                                            int32_t tgid, uint64_t time)
{
    const struct kept_space *kept;

    LIST_FOREACH(kept, &history->buckets[bucket_of_process(tgid)], bucket)
    if ( kept->space.tgid == tgid && kept->space.from <= time &&
         time < kept->space.until )
        return &kept->space;
    return NULL;
}

struct space_history_counts space_history_counts(
    const struct space_history *history)
{
    return history->counts;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A few blocks at a time, in the order in which they come. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/workers.h"
#include "session-ahead.h"
#include "session-seek.h"

/* Who counts is busier than who reads: more threads would wait for it. */
#define THREADS_MAX 4u
#define BLOCKS_EACH 2u /* for a thread: one to do, one that is done */
#define BLOCKS_MAX  (THREADS_MAX * BLOCKS_EACH)

/* What is larger than xenoprofd's blocks is read when its turn comes. */
#define BYTES_MAX  (4u << 20)
#define STEPS_MAX  (1ull << 24)
#define SHAPES_MAX 4096u
#define VAIN_MAX   64u /* and no more than were of use */

struct ahead_block {
    struct job job;
    struct session_block_header header;
    uint64_t offset; /* of the block */
    int fd;
    struct buffer tables, bytes; /* both parts */
    struct part_ahead known;     /* what the first one begins with */
    struct part_shapes shapes;
    struct reader_tables read; /* only its part is of use */
    enum column_result result;
    uint64_t last_shape; /* the largest number of one */
};

struct session_ahead {
    struct workers *workers; /* NULL: there was no work yet */
    unsigned int threads;
    struct ahead_block blocks[BLOCKS_MAX];
    unsigned int room, first, count; /* those that were asked for */
    uint64_t next;                   /* where the one after them is */
    /* What is expected of that one: which shapes there are, and what the tables
     * of the one before it were, which say so. */
    struct reader_tables expected;
    struct buffer tables;
    unsigned int used, vain;
};

static struct ahead_block *block_at(struct session_ahead *ahead,
                                    unsigned int index)
{
    return &ahead->blocks[(ahead->first + index) % ahead->room];
}

static bool read_bytes(int fd, uint64_t offset, size_t size,
                       struct buffer *bytes)
{
    bytes->used = 0;
    if ( !buffer_reserve(bytes, size + 1) )
        return false;
    while ( bytes->used < size )
    {
        ssize_t done = pread(fd, bytes->bytes + bytes->used, size - bytes->used,
                             (off_t)(offset + bytes->used));

        if ( done < 0 && errno == EINTR )
            continue;
        if ( done <= 0 )
            return false;
        bytes->used += (size_t)done;
    }
    return true;
}

static bool read_job_samples(struct ahead_block *block)
{
    const struct session_block_header *header = &block->header;

    return read_bytes(block->fd,
                      block->offset + sizeof(*header) + header->tables_size,
                      header->samples_size, &block->bytes) &&
           block_samples_are_sound(header, block->bytes.bytes);
}

/* Reads what does not depend on blocks before it.  Whether the part is sound
 * says who takes it. */
static void read_tables(struct ahead_block *block)
{
    const struct session_block_header *header = &block->header;
    struct cursor part = {.bad = false};

    block->known.known = block->known.next = 0;
    if ( !read_bytes(block->fd, block->offset + sizeof(*header),
                     header->tables_size, &block->tables) )
        return;
    part.at = block->tables.bytes;
    part.end = part.at + block->tables.used;
    block->read.part.steps = STEPS_MAX;
    part_read_ahead(&block->read.part, part, &block->known);
}

static uint64_t find_last_shape(const struct part_reader *part)
{
    const uint64_t *shapes = part->values[SESSION_SAMPLE_SHAPE];
    uint64_t last = 0;

    for ( size_t i = 0; i < part->count; i++ )
        last = shapes[i] > last ? shapes[i] : last;
    return last;
}

/* Leaves no bytes if they cannot be read, or are not what they should be. */
static void read_job_block(struct job *job)
{
    struct ahead_block *block = (struct ahead_block *)job;
    struct cursor samples = {.bad = false};

    block->result = COLUMN_BAD;
    if ( !read_job_samples(block) )
    {
        block->bytes.used = 0;
        return;
    }
    read_tables(block);
    samples.at = block->bytes.bytes;
    samples.end = samples.at + block->bytes.used;
    block->read.part.count = 0;
    block->read.part.steps = STEPS_MAX;
    block->result = reader_take_samples(&block->read, samples);
    if ( !block->result )
        block->last_shape = find_last_shape(&block->read.part);
}

static bool init_block(struct ahead_block *block)
{
    block->job.work = read_job_block;
    if ( !reader_tables_init(&block->read) )
        return false;
    block->read.part.shapes = &block->shapes;
    return true;
}

static void drop_first_block(struct session_ahead *ahead)
{
    workers_cancel(ahead->workers, &block_at(ahead, 0)->job);
    ahead->first = (ahead->first + 1) % ahead->room;
    ahead->count--;
}

void ahead_forget(struct session_ahead *ahead)
{
    while ( ahead && ahead->count )
        drop_first_block(ahead);
}

void ahead_stop(struct session_ahead *ahead)
{
    if ( !ahead )
        return;
    ahead_forget(ahead);
    workers_stop(ahead->workers);
    for ( unsigned int i = 0; i < ahead->room; i++ )
    {
        reader_tables_free(&ahead->blocks[i].read);
        buffer_free(&ahead->blocks[i].bytes);
        buffer_free(&ahead->blocks[i].tables);
        part_ahead_free(&ahead->blocks[i].known);
        vector_free(&ahead->blocks[i].shapes);
    }
    reader_tables_free(&ahead->expected);
    buffer_free(&ahead->tables);
    free(ahead);
}

void xenoprof_session_threads(struct xenoprof_session *session,
                              unsigned int count)
{
    struct session_ahead *ahead;

    ahead_stop(session->blocks_ahead);
    session->blocks_ahead = ahead = count ? calloc(1, sizeof(*ahead)) : NULL;
    if ( !ahead )
        return;
    ahead->threads = count < THREADS_MAX ? count : THREADS_MAX;
    if ( !reader_tables_init(&ahead->expected) )
        return;
    while ( ahead->room < ahead->threads * BLOCKS_EACH &&
            init_block(&ahead->blocks[ahead->room]) )
        ahead->room++;
}

unsigned int ahead_used(const struct session_ahead *ahead)
{
    return ahead ? ahead->used : 0;
}

/* Who makes shapes up in each block gains nothing, and loses little. */
static bool is_worth_it(const struct session_ahead *ahead,
                        const struct reader_tables *read)
{
    return ahead->room && read->shape_has.count <= SHAPES_MAX &&
           (ahead->vain < VAIN_MAX || ahead->vain < ahead->used);
}

static bool is_wanted_block(const struct xenoprof_session *session,
                            const struct session_block_header *header)
{
    return header->samples_size <= BYTES_MAX &&
           seek_wants(&session->span, header);
}

static bool copy_shapes(struct part_shapes *to, const struct part_shapes *from)
{
    to->count = 0;
    if ( !vector_reserve(to, from->count + 1) )
        return false;
    if ( from->count )
        memcpy(to->items, from->items, from->count * sizeof(*to->items));
    to->count = from->count;
    return true;
}

static bool ask_for(struct session_ahead *ahead,
                    const struct xenoprof_session *session,
                    const struct session_block_header *header)
{
    struct ahead_block *block = block_at(ahead, ahead->count);

    /* Small sessions need no threads. */
    if ( !ahead->workers )
        ahead->workers = workers_start(ahead->threads);
    if ( !ahead->workers ||
         !copy_shapes(&block->shapes, &ahead->expected.shape_has) )
        return false;
    block->header = *header;
    block->offset = ahead->next;
    block->fd = session->fd;
    block->read.part.unwanted = session->read.part.unwanted;
    block->read.part.passed = session->read.part.passed;
    workers_give(ahead->workers, &block->job);
    ahead->count++;
    return true;
}

/* What a block's tables say of shapes is looked at twice: it is little, and no
 * more than the block's own bytes allow for. */
static bool expect_shapes(struct session_ahead *ahead,
                          const struct xenoprof_session *session,
                          const struct session_block_header *header)
{
    const uint64_t steps = session_block_size(header) * STEPS_TIMES;
    struct cursor part = {.bad = false};

    if ( header->tables_size > BYTES_MAX ||
         !read_bytes(session->fd, ahead->next + sizeof(*header),
                     header->tables_size, &ahead->tables) )
        return false;
    part.at = ahead->tables.bytes;
    part.end = part.at + ahead->tables.used;
    ahead->expected.part.steps = steps < STEPS_MAX ? steps : STEPS_MAX;
    if ( !reader_take_shapes(&ahead->expected, part) )
        return true;
    ahead->vain++;
    return false;
}

/* Goes on to the next block, which is asked for if it is wanted.  Returns false
 * if there is none, or it has to wait for its turn. */
static bool ask_next(struct session_ahead *ahead,
                     const struct xenoprof_session *session)
{
    struct session_block_header header;

    if ( !seek_header(session, ahead->next, &header) ||
         !expect_shapes(ahead, session, &header) ||
         !is_worth_it(ahead, &ahead->expected) ||
         (is_wanted_block(session, &header) &&
          !ask_for(ahead, session, &header)) )
        return false;
    ahead->next += sizeof(header) + session_block_size(&header);
    return true;
}

void ahead_ask(struct xenoprof_session *session)
{
    struct session_ahead *ahead = session->blocks_ahead;
    unsigned int looks = 0;

    if ( !ahead || !is_worth_it(ahead, &session->read) )
        return;
    if ( !ahead->count )
    {
        ahead->next = session->offset;
        if ( !copy_shapes(&ahead->expected.shape_has,
                          &session->read.shape_has) )
            return;
    }
    while ( ahead->count < ahead->room && looks++ < ahead->room &&
            ask_next(ahead, session) )
        continue;
}

const uint8_t *ahead_find(struct xenoprof_session *session,
                          const struct session_block_header *header)
{
    struct session_ahead *ahead = session->blocks_ahead;
    struct ahead_block *block;

    while ( ahead && ahead->count &&
            block_at(ahead, 0)->offset < session->offset )
        drop_first_block(ahead);
    if ( !ahead || !ahead->count )
        return NULL;
    block = block_at(ahead, 0);
    if ( block->offset != session->offset ||
         memcmp(&block->header, header, sizeof(*header)) )
        return NULL;
    workers_finish(ahead->workers, &block->job);
    return block->bytes.used ? block->bytes.bytes : NULL;
}

struct part_ahead *ahead_tables(struct xenoprof_session *session)
{
    return &block_at(session->blocks_ahead, 0)->known;
}

/* Whether its samples are the same with the shapes that there are now. */
static bool has_shapes(const struct ahead_block *block,
                       const struct part_shapes *now)
{
    const struct part_shapes *then = &block->shapes;

    return then->count <= now->count &&
           (then->count == now->count || block->last_shape <= then->count) &&
           (!then->count || !memcmp(then->items, now->items,
                                    then->count * sizeof(*then->items)));
}

bool ahead_take(struct xenoprof_session *session)
{
    struct session_ahead *ahead = session->blocks_ahead;
    struct ahead_block *block = block_at(ahead, 0);
    struct reader_tables *read = &session->read;
    const uint64_t steps = STEPS_MAX - block->read.part.steps;
    struct part_reader mine = read->part;

    if ( block->result || !block->read.part.steps || steps >= mine.steps ||
         !has_shapes(block, &read->shape_has) )
    {
        ahead->vain++;
        ahead_forget(ahead);
        return false;
    }
    read->part = block->read.part;
    read->part.shapes = mine.shapes;
    read->part.steps = mine.steps - steps;
    block->read.part = mine;
    block->read.part.shapes = &block->shapes;
    ahead->used++;
    drop_first_block(ahead);
    return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The threads that read blocks before their turn: a few blocks, in the order of
 * the file. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/workers.h"
#include "read-ahead.h"
#include "session-seek.h"

/* Counting takes longer than reading: more threads would wait for the one that
 * counts. */
#define THREADS_MAX 4u
#define BLOCKS_EACH 2u /* for a thread: one to do, one that is done */
#define BLOCKS_MAX  (THREADS_MAX * BLOCKS_EACH)

/* What is larger than xenoprofd's blocks is read when its turn comes. */
#define BYTES_MAX  (4u << 20)
#define STEPS_MAX  (1ull << 24)
#define SHAPES_MAX 4096u
#define VAIN_MAX   64u /* blocks read in vain; or as many as were of use */

struct read_ahead_block {
    struct job job;
    struct session_block_header header;
    uint64_t offset; /* of the block */
    int fd;
    struct buffer tables, bytes; /* both sections */
    struct early_tables known;   /* what the first one begins with */
    struct section_shapes shapes;
    struct reader_tables read; /* only its section is of use */
    enum column_result result;
    uint64_t last_shape; /* the largest number of one */
};

struct read_ahead {
    struct workers *workers; /* NULL: there was no work yet */
    unsigned int threads;
    struct read_ahead_block blocks[BLOCKS_MAX];
    unsigned int room, first, count; /* those that were asked for */
    uint64_t next;                   /* where the one after them is */
    /* What is expected of that one: which shapes there are, and what the tables
     * of the one before it were, which say so. */
    struct reader_tables expected;
    struct buffer tables;
    unsigned int used, vain;
};

static struct read_ahead_block *block_at(struct read_ahead *read_ahead,
                                         unsigned int index)
{
    return &read_ahead->blocks[(read_ahead->first + index) % read_ahead->room];
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

/* Reads of the first section what does not depend on blocks before it.  The
 * reader checks the section in the block's turn. */
static void read_tables(struct read_ahead_block *block)
{
    const struct session_block_header *header = &block->header;
    struct cursor section = {.bad = false};

    block->known.known = block->known.next = 0;
    if ( !read_bytes(block->fd, block->offset + sizeof(*header),
                     header->tables_size, &block->tables) )
        return;
    section.at = block->tables.bytes;
    section.end = section.at + block->tables.used;
    block->read.section.steps = STEPS_MAX;
    section_read_early(&block->read.section, section, &block->known);
}

static uint64_t find_last_shape(const struct section_reader *section)
{
    const uint64_t *shapes = section->values[SESSION_SAMPLE_SHAPE];
    uint64_t last = 0;

    for ( size_t i = 0; i < section->count; i++ )
        last = shapes[i] > last ? shapes[i] : last;
    return last;
}

/* Leaves no bytes if they cannot be read, or are not what they should be. */
static void read_job_block(struct job *job)
{
    struct read_ahead_block *block = (struct read_ahead_block *)job;
    const struct session_block_header *header = &block->header;
    struct cursor samples = {.bad = false};

    block->result = COLUMN_BAD;
    if ( !read_bytes(block->fd,
                     block->offset + sizeof(*header) + header->tables_size,
                     header->samples_size, &block->bytes) ||
         !block_samples_are_sound(header, block->bytes.bytes) )
    {
        block->bytes.used = 0;
        return;
    }
    read_tables(block);
    samples.at = block->bytes.bytes;
    samples.end = samples.at + block->bytes.used;
    block->read.section.count = 0;
    block->read.section.steps = STEPS_MAX;
    block->result = reader_take_samples(&block->read, samples);
    if ( !block->result )
        block->last_shape = find_last_shape(&block->read.section);
}

static bool init_block(struct read_ahead_block *block)
{
    block->job.work = read_job_block;
    if ( !reader_tables_init(&block->read) )
        return false;
    block->read.section.shapes = &block->shapes;
    return true;
}

static void drop_first_block(struct read_ahead *read_ahead)
{
    workers_cancel(read_ahead->workers, &block_at(read_ahead, 0)->job);
    read_ahead->first = (read_ahead->first + 1) % read_ahead->room;
    read_ahead->count--;
}

void read_ahead_forget(struct read_ahead *read_ahead)
{
    while ( read_ahead && read_ahead->count )
        drop_first_block(read_ahead);
}

void read_ahead_stop(struct read_ahead *read_ahead)
{
    if ( !read_ahead )
        return;
    read_ahead_forget(read_ahead);
    workers_stop(read_ahead->workers);
    for ( unsigned int i = 0; i < read_ahead->room; i++ )
    {
        reader_tables_free(&read_ahead->blocks[i].read);
        buffer_free(&read_ahead->blocks[i].bytes);
        buffer_free(&read_ahead->blocks[i].tables);
        early_tables_free(&read_ahead->blocks[i].known);
        vector_free(&read_ahead->blocks[i].shapes);
    }
    reader_tables_free(&read_ahead->expected);
    buffer_free(&read_ahead->tables);
    free(read_ahead);
}

void xenoprof_session_threads(struct xenoprof_session *session,
                              unsigned int count)
{
    struct read_ahead *read_ahead;

    read_ahead_stop(session->read_ahead);
    session->read_ahead = read_ahead = count ? calloc(1, sizeof(*read_ahead))
                                             : NULL;
    if ( !read_ahead )
        return;
    read_ahead->threads = count < THREADS_MAX ? count : THREADS_MAX;
    if ( !reader_tables_init(&read_ahead->expected) )
        return;
    while ( read_ahead->room < read_ahead->threads * BLOCKS_EACH &&
            init_block(&read_ahead->blocks[read_ahead->room]) )
        read_ahead->room++;
}

unsigned int read_ahead_used(const struct read_ahead *read_ahead)
{
    return read_ahead ? read_ahead->used : 0;
}

/* A file with new shapes in each block gains nothing by threads: they stop. */
static bool is_worth_it(const struct read_ahead *read_ahead,
                        const struct reader_tables *read)
{
    return read_ahead->room && read->shape_has.count <= SHAPES_MAX &&
           (read_ahead->vain < VAIN_MAX || read_ahead->vain < read_ahead->used);
}

static bool is_wanted_block(const struct xenoprof_session *session,
                            const struct session_block_header *header)
{
    return header->samples_size <= BYTES_MAX &&
           seek_wants(&session->span, header);
}

static bool copy_shapes(struct section_shapes *to,
                        const struct section_shapes *from)
{
    to->count = 0;
    if ( !vector_reserve(to, from->count + 1) )
        return false;
    if ( from->count )
        memcpy(to->items, from->items, from->count * sizeof(*to->items));
    to->count = from->count;
    return true;
}

static bool ask_for(struct read_ahead *read_ahead,
                    const struct xenoprof_session *session,
                    const struct session_block_header *header)
{
    struct read_ahead_block *block = block_at(read_ahead, read_ahead->count);

    /* Small sessions need no threads. */
    if ( !read_ahead->workers )
        read_ahead->workers = workers_start(read_ahead->threads);
    if ( !read_ahead->workers ||
         !copy_shapes(&block->shapes, &read_ahead->expected.shape_has) )
        return false;
    block->header = *header;
    block->offset = read_ahead->next;
    block->fd = session->fd;
    block->read.section.unwanted = session->read.section.unwanted;
    block->read.section.passed = session->read.section.passed;
    workers_give(read_ahead->workers, &block->job);
    read_ahead->count++;
    return true;
}

/* What a block's tables say of shapes is looked at twice: it is little, and no
 * more than the block's own bytes allow for. */
static bool expect_shapes(struct read_ahead *read_ahead,
                          const struct xenoprof_session *session,
                          const struct session_block_header *header)
{
    const uint64_t steps = session_block_size(header) * STEPS_TIMES;
    struct cursor section = {.bad = false};

    if ( header->tables_size > BYTES_MAX ||
         !read_bytes(session->fd, read_ahead->next + sizeof(*header),
                     header->tables_size, &read_ahead->tables) )
        return false;
    section.at = read_ahead->tables.bytes;
    section.end = section.at + read_ahead->tables.used;
    read_ahead->expected.section.steps = steps < STEPS_MAX ? steps : STEPS_MAX;
    if ( !reader_take_shapes(&read_ahead->expected, section) )
        return true;
    read_ahead->vain++;
    return false;
}

/* Goes on to the next block, which is asked for if it is wanted.  Returns false
 * if there is none, or it has to wait for its turn. */
static bool ask_next(struct read_ahead *read_ahead,
                     const struct xenoprof_session *session)
{
    struct session_block_header header;

    if ( !seek_header(session, read_ahead->next, &header) ||
         !expect_shapes(read_ahead, session, &header) ||
         !is_worth_it(read_ahead, &read_ahead->expected) ||
         (is_wanted_block(session, &header) &&
          !ask_for(read_ahead, session, &header)) )
        return false;
    read_ahead->next += sizeof(header) + session_block_size(&header);
    return true;
}

void read_ahead_ask(struct xenoprof_session *session)
{
    struct read_ahead *read_ahead = session->read_ahead;
    unsigned int looks = 0;

    if ( !read_ahead || !is_worth_it(read_ahead, &session->read) )
        return;
    if ( !read_ahead->count )
    {
        read_ahead->next = session->offset;
        if ( !copy_shapes(&read_ahead->expected.shape_has,
                          &session->read.shape_has) )
            return;
    }
    while ( read_ahead->count < read_ahead->room &&
            looks++ < read_ahead->room && ask_next(read_ahead, session) )
        continue;
}

const uint8_t *read_ahead_find(struct xenoprof_session *session,
                               const struct session_block_header *header)
{
    struct read_ahead *read_ahead = session->read_ahead;
    struct read_ahead_block *block;

    while ( read_ahead && read_ahead->count &&
            block_at(read_ahead, 0)->offset < session->offset )
        drop_first_block(read_ahead);
    if ( !read_ahead || !read_ahead->count )
        return NULL;
    block = block_at(read_ahead, 0);
    if ( block->offset != session->offset ||
         memcmp(&block->header, header, sizeof(*header)) )
        return NULL;
    workers_finish(read_ahead->workers, &block->job);
    return block->bytes.used ? block->bytes.bytes : NULL;
}

struct early_tables *read_ahead_tables(struct xenoprof_session *session)
{
    return &block_at(session->read_ahead, 0)->known;
}

/* Whether its samples are the same with the shapes that there are now. */
static bool has_shapes(const struct read_ahead_block *block,
                       const struct section_shapes *now)
{
    const struct section_shapes *then = &block->shapes;

    return then->count <= now->count &&
           (then->count == now->count || block->last_shape <= then->count) &&
           (!then->count || !memcmp(then->items, now->items,
                                    then->count * sizeof(*then->items)));
}

bool read_ahead_take(struct xenoprof_session *session)
{
    struct read_ahead *read_ahead = session->read_ahead;
    struct read_ahead_block *block = block_at(read_ahead, 0);
    struct reader_tables *read = &session->read;
    const uint64_t steps = STEPS_MAX - block->read.section.steps;
    struct section_reader mine = read->section;

    if ( block->result || !block->read.section.steps || steps >= mine.steps ||
         !has_shapes(block, &read->shape_has) )
    {
        read_ahead->vain++;
        read_ahead_forget(read_ahead);
        return false;
    }
    read->section = block->read.section;
    read->section.shapes = mine.shapes;
    read->section.steps = mine.steps - steps;
    block->read.section = mine;
    block->read.section.shapes = &block->shapes;
    read_ahead->used++;
    drop_first_block(read_ahead);
    return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the next whole block of a session, across its files: checks headers,
 * skips damage, and recognizes a torn end. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "read-ahead.h"
#include "session-block.h"
#include "session-reader.h"
#include "session-seek.h"

/* Read size bytes at offset.  Returns false with errno if that fails. */
static bool read_session_bytes(const struct xenoprof_session *session,
                               void *bytes, size_t size, uint64_t offset)
{
    uint8_t *at = bytes;

    while ( size )
    {
        ssize_t done = pread(session->fd, at, size, offset);

        if ( done < 0 && errno == EINTR )
            continue;
        if ( done == 0 )
            errno = EIO; /* the file was cut since load_measure() */
        if ( done <= 0 )
            return false;
        at += done;
        offset += done;
        size -= done;
    }
    return true;
}

static enum xenoprof_status unreadable(struct xenoprof_session *session)
{
    return handle_fail_system(session->handle, "%s: cannot read it",
                              session->path);
}

static bool last_file(const struct xenoprof_session *session)
{
    return !session->folder || session->index + 1 >= session->files.count;
}

/* The checksum comes first: a damaged header is not a newer version. */
static enum xenoprof_status judge_header(
    struct xenoprof_session *session, const struct session_file_header *header)
{
    uint32_t number = header->number;

    if ( !file_header_sound(header) )
        return handle_fail(session->handle, XENOPROF_DAMAGED,
                           "%s: the file's header is damaged; its blocks are "
                           "still read",
                           session->path);
    if ( header->version < SESSION_VERSION )
        return handle_fail(session->handle, XENOPROF_INVALID,
                           "%s: written in version %u of the session format, "
                           "before the first release, which is not read any "
                           "more; record it anew",
                           session->path, header->version);
    if ( header->version > SESSION_VERSION )
        return handle_fail(session->handle, XENOPROF_NEWER,
                           "%s: written in version %u of the session format, "
                           "this program knows %u; use a newer xenoprof",
                           session->path, header->version, SESSION_VERSION);
    if ( session->session && header->session != session->session )
        return handle_fail(session->handle, XENOPROF_DAMAGED,
                           "%s: belongs to another session; it is skipped",
                           session->path);
    session->session = header->session;
    if ( session->folder && number != session->files.items[session->index] )
        return handle_fail(session->handle, XENOPROF_DAMAGED,
                           "%s: the file was number %u once; renamed files are "
                           "read in the order of their names",
                           session->path, number);
    return XENOPROF_OK;
}

static enum xenoprof_status read_header(struct xenoprof_session *session)
{
    struct session_file_header header;
    uint64_t have = session->size;
    enum xenoprof_status status;
    bool foreign;

    if ( have > sizeof(header) )
        have = sizeof(header);
    if ( !read_session_bytes(session, &header, have, 0) )
        return unreadable(session);
    foreign = memcmp(header.magic, SESSION_MAGIC,
                     have < SESSION_MAGIC_SIZE ? have : SESSION_MAGIC_SIZE);
    if ( foreign && !session->index )
        return handle_fail(session->handle, XENOPROF_INVALID,
                           "%s: not a file of a xenoprof session",
                           session->path);
    if ( have < sizeof(header) )
        return XENOPROF_OK; /* torn, or not written yet: left to load_block() */
    status = judge_header(session, &header);
    session->offset = sizeof(header);
    if ( status == XENOPROF_DAMAGED && file_header_sound(&header) &&
         header.session != session->session )
        session->offset = session->size;
    return status;
}

static enum xenoprof_status name_session_file(struct xenoprof_session *session)
{
    char name[FILE_NAME_SIZE], *path;

    if ( !session->folder )
        return XENOPROF_OK;
    session_file_name(session->files.items[session->index], name);
    if ( asprintf(&path, "%s/%s", session->folder, name) < 0 )
        return handle_no_memory(session->handle);
    free(session->path);
    session->path = path;
    return XENOPROF_OK;
}

enum xenoprof_status load_measure(struct xenoprof_session *session)
{
    struct stat status;

    if ( fstat(session->fd, &status) )
        return unreadable(session);
    if ( !S_ISREG(status.st_mode) )
        return handle_fail(session->handle, XENOPROF_INVALID,
                           "%s: not a regular file, as all files of a session "
                           "are",
                           session->path);
    if ( session->size != (uint64_t)status.st_size )
        session->chunk_size = 0;
    session->size = status.st_size;
    return XENOPROF_OK;
}

enum xenoprof_status load_file(struct xenoprof_session *session, size_t index)
{
    enum xenoprof_status status;

    read_ahead_forget(session->read_ahead);
    if ( session->fd >= 0 )
        close(session->fd);
    session->fd = -1;
    session->index = index;
    session->offset = session->torn = session->blocks = 0;
    session->absolute_at = 0;
    session->chunk_size = 0;
    session->span.judged = false;
    reader_tables_begin(&session->read);
    block_items_begin_file(&session->block_items);
    status = name_session_file(session);
    if ( status )
        return status;
    /* To open a FIFO would wait for a writer. */
    session->fd = open(session->path,
                       O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if ( session->fd < 0 )
        return handle_fail_system(session->handle, "%s: cannot open it",
                                  session->path);
    status = load_measure(session);
    return status ? status : read_header(session);
}

/* Goes on to the next file that is wanted, if the rest of this one is not.
 * Returns XENOPROF_OK, or as load_file(). */
static enum xenoprof_status pass_far_files(struct xenoprof_session *session)
{
    struct session_span *span = &session->span;
    enum xenoprof_status status = XENOPROF_OK;
    uint64_t samples, sequence;

    while ( !status && span->given && !span->judged && !last_file(session) )
    {
        span->judged = true;
        status = load_measure(session);
        if ( status || session->offset < sizeof(struct session_file_header) ||
             !seek_is_far(session, &samples, &sequence) )
            break;
        span->left_out += samples;
        session->sequence = sequence;
        session->samples_so_far += samples;
        status = load_file(session, session->index + 1);
    }
    return status;
}

static bool in_chunk(const struct xenoprof_session *session, uint64_t offset,
                     size_t size)
{
    return offset >= session->chunk_at &&
           offset - session->chunk_at + size <= session->chunk_size;
}

#define LATER_BLOCKS_MAX 64u /* more than from one absolute block to the next */

#define HEADER_SIZE sizeof(struct session_block_header)

/* Reads ahead, unless the header at offset is in what was read before. */
static bool fill_chunk(struct xenoprof_session *session, uint64_t offset)
{
    uint64_t left = session->size - offset;
    size_t size = left < SEARCH_CHUNK ? left : SEARCH_CHUNK;

    if ( in_chunk(session, offset, left < HEADER_SIZE ? left : HEADER_SIZE) )
        return true;
    session->chunk_size = 0;
    if ( !read_session_bytes(session, session->chunk, size, offset) )
        return false;
    session->chunk_at = offset;
    session->chunk_size = size;
    return true;
}

/* A small block came with its header, without a system call of its own. */
static bool read_payload(struct xenoprof_session *session, size_t size,
                         uint64_t offset)
{
    if ( !in_chunk(session, offset, size) )
        return read_session_bytes(session, session->payload.bytes, size,
                                  offset);
    memcpy(session->payload.bytes,
           session->chunk + (offset - session->chunk_at), size);
    return true;
}

/* Returns whether a sound header is here. */
static bool header_here(const uint8_t *at, struct session_block_header *ret)
{
    memcpy(ret, at, sizeof(*ret));
    return session_block_sound(ret);
}

/* Returns whether all of a block with a sound header is in the bytes that the
 * file is known to have. */
static bool block_here(struct xenoprof_session *session,
                       struct session_block_header *ret)
{
    uint64_t left = session->size - session->offset;

    if ( left < HEADER_SIZE || !fill_chunk(session, session->offset) )
        return false;
    return header_here(session->chunk + (session->offset - session->chunk_at),
                       ret) &&
           left - HEADER_SIZE >= session_block_size(ret);
}

/* Returns the first sound header that begins in so many bytes from at on, or
 * NULL; there is a header's room behind the last of them. */
static const uint8_t *find_header(const uint8_t *at, size_t bytes)
{
    static const uint32_t magic = SESSION_BLOCK_MAGIC;
    const uint8_t *end = at + bytes;
    struct session_block_header block;

    while ( at < end && (at = memmem(at, end - at + sizeof(magic) - 1, &magic,
                                     sizeof(magic))) )
    {
        if ( header_here(at, &block) )
            return at;
        at++;
    }
    return NULL;
}

/* Returns the offset of the next block with a sound header, or the file's size
 * if there is none. */
static uint64_t search_header(struct xenoprof_session *session, uint64_t offset)
{
    while ( session->size - offset >= HEADER_SIZE &&
            fill_chunk(session, offset) )
    {
        const uint8_t *at = session->chunk + (offset - session->chunk_at);
        size_t left = session->chunk + session->chunk_size - at;
        /* A header that goes on behind the chunk is looked at with the next. */
        size_t bytes = left + 1 - HEADER_SIZE;
        const uint8_t *found = find_header(at, bytes);

        if ( found )
            return offset + (found - at);
        offset += bytes;
    }
    return session->size;
}

/* The bytes from offset to end are not a whole block: torn at the session's
 * end, damaged anywhere else. */
static enum xenoprof_status pass_over(struct xenoprof_session *session,
                                      uint64_t end)
{
    uint64_t start = session->offset;

    if ( end == session->size && last_file(session) )
    {
        session->torn = end - start;
        return XENOPROF_END;
    }
    session->offset = end;
    session->sequence_known = false;
    reader_tables_gap(&session->read);
    return handle_fail(session->handle, XENOPROF_DAMAGED,
                       "%s: bytes %llu to %llu are damaged; the samples in "
                       "them, and names that they defined, are lost",
                       session->path, (unsigned long long)start,
                       (unsigned long long)end - 1);
}

static enum xenoprof_status check_sequence(struct xenoprof_session *session,
                                           uint64_t sequence)
{
    bool known = session->sequence_known;
    uint64_t expected = session->sequence;

    session->sequence_known = true;
    session->sequence = sequence + 1;
    if ( !known || sequence == expected )
        return XENOPROF_OK;
    if ( sequence > expected )
        return handle_fail(session->handle, XENOPROF_DAMAGED,
                           "%s: blocks %llu to %llu, before byte %llu, are "
                           "missing; the samples in them are lost",
                           session->path, (unsigned long long)expected,
                           (unsigned long long)sequence - 1,
                           (unsigned long long)session->offset);
    session->sequence = expected;
    return handle_fail(session->handle, XENOPROF_DAMAGED,
                       "%s: block %llu, before byte %llu, is there twice; it "
                       "is skipped",
                       session->path, (unsigned long long)sequence,
                       (unsigned long long)session->offset);
}

/* What reading takes is counted: a few bytes may stand for many rows. */
static void begin_reading(struct xenoprof_session *session)
{
    session->read.section.steps = session->steps < session->steps_allowed
                                      ? session->steps_allowed - session->steps
                                      : 0;
}

/* Returns whether it was as much as is allowed: xenoprof_session_next() says
 * so. */
static bool end_reading(struct xenoprof_session *session)
{
    uint64_t left = session->read.section.steps;

    session->steps = session->steps_allowed - left + !left;
    return !left;
}

/* Reads the second section of a block, behind the first, or where it was read
 * ahead. */
static enum column_result load_block_samples(
    struct xenoprof_session *session, const struct session_block_header *header,
    bool sound)
{
    const uint8_t *at = session->samples
                            ? session->samples
                            : session->payload.bytes + header->tables_size;
    const struct cursor samples = {at, at + header->samples_size, false};

    session->read.section.count = 0;
    if ( !header->samples || session->passed )
        return COLUMN_OK;
    if ( session->samples && read_ahead_take(session) )
        return COLUMN_OK;
    return sound ? reader_take_samples(&session->read, samples) : COLUMN_BAD;
}

/* Reads both sections of a block. */
static enum column_result read_parts(struct xenoprof_session *session,
                                     const struct session_block_header *header,
                                     bool sound)
{
    const uint8_t *at = session->payload.bytes;
    const struct cursor tables = {at, at + header->tables_size, false};
    enum column_result result;

    session->read.section.early = session->samples ? read_ahead_tables(session)
                                                   : NULL;
    result = reader_take_tables(&session->read, tables,
                                header->flags & SESSION_BLOCK_ABSOLUTE);
    session->read.section.early = NULL;
    session->read.section.count = 0;
    if ( !result )
        result = load_block_samples(session, header, sound);
    read_ahead_ask(session);
    return result;
}

/* The block that was read is the current one; without samples if these are
 * damaged. */
static enum xenoprof_status take_this_block(
    struct xenoprof_session *session, const struct session_block_header *header,
    bool sound)
{
    enum column_result result;
    bool too_much;

    block_items_begin(&session->block_items, !session->passed);
    session->absolute_now = header->flags & SESSION_BLOCK_ABSOLUTE;
    session->block_items.columns.summed = session->summed;
    session->block_items.columns.first = header->first;
    session->block_items.columns.last = header->last;
    begin_reading(session);
    result = read_parts(session, header, sound);
    too_much = end_reading(session);
    if ( result == COLUMN_NO_MEMORY )
        return handle_no_memory(session->handle);
    if ( !result &&
         (session->passed || session->read.section.count == header->samples) )
        return XENOPROF_OK;
    session->read.section.count = 0;
    if ( too_much )
        return XENOPROF_OK;
    return handle_fail(session->handle, XENOPROF_DAMAGED,
                       "%s: the block before byte %llu is damaged; %u samples "
                       "are lost",
                       session->path, (unsigned long long)session->offset,
                       header->samples);
}

/* Reads the tables of the absolute block at offset. */
static enum xenoprof_status read_absolute(
    struct xenoprof_session *session, const struct session_block_header *header,
    uint64_t offset)
{
    struct buffer *bytes = &session->absolute;
    enum column_result result = COLUMN_OK;
    struct cursor section;

    session->absolute_at = offset;
    session->steps += (uint64_t)header->tables_size * STEPS_BYTE;
    if ( !buffer_reserve(bytes, (size_t)header->tables_size + 1) )
        return handle_no_memory(session->handle);
    if ( !read_session_bytes(session, bytes->bytes, header->tables_size,
                             offset + sizeof(*header)) )
        return unreadable(session);
    section = (struct cursor){bytes->bytes, bytes->bytes + header->tables_size,
                              false};
    begin_reading(session);
    if ( block_tables_are_sound(header, bytes->bytes) )
        result = reader_take_later(&session->read, section);
    end_reading(session);
    return result == COLUMN_NO_MEMORY ? handle_no_memory(session->handle)
                                      : XENOPROF_OK;
}

/* A block was lost: the next absolute one says who ran in those up to it. */
static enum xenoprof_status find_absolute_block(
    struct xenoprof_session *session)
{
    uint64_t here = session->offset;
    enum xenoprof_status status = XENOPROF_OK;
    struct session_block_header block;

    for ( unsigned int i = 0;
          i < LATER_BLOCKS_MAX && block_here(session, &block); i++ )
    {
        if ( block.flags & SESSION_BLOCK_ABSOLUTE )
        {
            if ( session->absolute_at != session->offset )
                status = read_absolute(session, &block, session->offset);
            break;
        }
        session->steps += STEPS_OTHER;
        session->offset += sizeof(block) + session_block_size(&block);
    }
    session->offset = here;
    return status;
}

/* All of the block was read. */
static enum xenoprof_status use_block(struct xenoprof_session *session,
                                      const struct session_block_header *header)
{
    bool known = session->sequence_known;
    uint64_t expected = session->sequence, end;
    const uint8_t *bytes = session->payload.bytes;
    bool sound = session->passed || session->samples ||
                 block_samples_are_sound(header, bytes + header->tables_size);
    enum xenoprof_status status, taken;

    end = session->offset + sizeof(*header) + session_block_size(header);
    /* At the end it may be torn, and is as if it were not there. */
    if ( !block_tables_are_sound(header, bytes) ||
         (!sound && end == session->size && last_file(session)) )
        return pass_over(session, search_header(session, end));
    session->offset = end;
    session->torn = 0;
    session->blocks++;
    status = check_sequence(session, header->sequence);
    if ( status && known && header->sequence < expected )
        return status;
    if ( status )
        reader_tables_gap(&session->read);
    if ( session->blocks == 1 )
        session->samples_before = header->before;
    session->samples_so_far = header->before + header->samples;
    if ( session->passed && !session->summed )
        session->span.left_out += header->samples;
    if ( !session->read.sound && !(header->flags & SESSION_BLOCK_ABSOLUTE) )
    {
        taken = find_absolute_block(session);
        if ( taken )
            return taken;
    }
    taken = take_this_block(session, header, sound);
    return taken ? taken : status;
}

/* Files end long before they have so many bytes. */
#define FILE_SHIFT 40

uint64_t xenoprof_session_position(const struct xenoprof_session *session)
{
    uint64_t file = session->folder ? session->files.items[session->index] : 0;

    return file << FILE_SHIFT | session->offset;
}

void xenoprof_session_until(struct xenoprof_session *session, uint64_t position)
{
    session->ends = true;
    session->end = position;
}

static uint64_t file_of(uint64_t position)
{
    return position >> FILE_SHIFT;
}

enum xenoprof_status load_since(struct xenoprof_session *session,
                                uint64_t position)
{
    size_t index = session->index;

    session->since = position;
    while ( session->folder && index + 1 < session->files.count &&
            session->files.items[index + 1] <= file_of(position) )
        index++;
    return index == session->index ? XENOPROF_OK : load_file(session, index);
}

/* The header is sound and the file has all of the block: read its payload,
 * which may still be damaged. */
static enum xenoprof_status read_whole_block(
    struct xenoprof_session *session, const struct session_block_header *block)
{
    uint64_t size = session_block_size(block);
    uint64_t end = session->offset + sizeof(*block) + size;

    if ( session->ends && xenoprof_session_position(session) >= session->end )
        return XENOPROF_END;
    session->passed = xenoprof_session_position(session) < session->since ||
                      seek_passes(session, block, end);
    session->summed = !session->passed && seek_sums(session, block, end);
    session->passed |= session->summed;
    if ( session->passed )
        size = block->tables_size;
    session->steps_allowed += size * STEPS_TIMES;
    session->samples = session->passed ? NULL : read_ahead_find(session, block);
    if ( session->samples )
        size = block->tables_size;
    session->payload.used = 0;
    if ( !buffer_reserve(&session->payload, (size_t)size + 1) )
        return handle_no_memory(session->handle);
    if ( !read_payload(session, size, session->offset + sizeof(*block)) )
        return unreadable(session);
    return use_block(session, block);
}

/* Look for files that are new since the last listing.  Returns XENOPROF_OK, or
 * XENOPROF_END if there are none. */
static enum xenoprof_status find_new_files(struct xenoprof_session *session)
{
    uint32_t last = session->files.items[session->index];
    struct session_files files;
    size_t index = 0;
    enum xenoprof_status status = session_files_list(session->handle,
                                                     session->folder, &files);

    if ( status )
        return status;
    while ( index < files.count && files.items[index] <= last )
        index++;
    if ( index == files.count || !index )
    {
        session_files_free(&files);
        return XENOPROF_END;
    }
    session_files_free(&session->files);
    session->files = files;
    session->index = index - 1;
    return XENOPROF_OK;
}

/* This file is read to its end: go to the next file, unless a block was added
 * to this file before the next was begun. */
static enum xenoprof_status go_to_next_file(struct xenoprof_session *session)
{
    enum xenoprof_status status = XENOPROF_OK;

    if ( !session->folder )
        return XENOPROF_END;
    if ( last_file(session) )
        status = find_new_files(session);
    if ( !status )
        status = load_measure(session);
    if ( status || session->offset < session->size )
        return status;
    status = load_file(session, session->index + 1);
    return status ? status : pass_far_files(session);
}

/* The file may have grown since it was measured, or the next one may be there.
 * Returns XENOPROF_END if no byte is left. */
static enum xenoprof_status find_bytes(struct xenoprof_session *session)
{
    enum xenoprof_status status;

    while ( !(status = load_measure(session)) &&
            session->offset >= session->size )
    {
        session->torn = 0;
        status = go_to_next_file(session);
        if ( status )
            return status;
    }
    /* The header was not there when the file was opened. */
    if ( !status && session->offset < sizeof(struct session_file_header) )
        status = read_header(session);
    return status;
}

enum xenoprof_status load_block(struct xenoprof_session *session)
{
    struct session_block_header block;
    enum xenoprof_status status = pass_far_files(session);

    if ( status )
        return status;
    if ( session->offset >= sizeof(struct session_file_header) &&
         session->offset < session->size && block_here(session, &block) )
        return read_whole_block(session, &block);
    status = find_bytes(session);
    if ( status )
        return status;
    if ( block_here(session, &block) )
        return read_whole_block(session, &block);
    return pass_over(session, search_header(session, session->offset + 1));
}

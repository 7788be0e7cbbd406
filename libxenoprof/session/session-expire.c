/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drops the oldest files of a session that has a largest size or age.  How many
 * samples were in them is what the next file says of its rings at its
 * beginning.
 */
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"
#include "session-files.h"
#include "session-reader.h"
#include "session-seek.h"
#include "session-writer.h"

#define FILES_USUAL    8u /* of a session of its largest size, or age */
#define FILE_AGE_LEAST 1000000000ull /* ns */

uint64_t writer_samples_before(const struct xenoprof_writer *writer)
{
    const struct session_state *state = &writer->state;
    uint64_t sum = 0;

    for ( size_t i = 0; i < state->ring_sums.count; i++ )
    {
        const struct xenoprof_ring_sum *ended = table_at(&state->ring_sums, i);

        sum += ended->read;
    }
    for ( size_t i = 0; i < state->rings.count; i++ )
        sum += state->rings.items[i].read;
    return sum;
}

/* A file ended before the next one did, whatever the times in it. */
static void settle_ends(struct xenoprof_writer *writer)
{
    uint64_t next = 0;

    for ( size_t i = writer->files.count; i--; )
    {
        struct writer_file *file = &writer->files.items[i];

        if ( !file->last || (next && file->last > next) )
            file->last = next;
        next = file->last;
    }
}

enum xenoprof_status writer_keep_file(struct xenoprof_writer *writer)
{
    struct writer_file *file = vector_add(&writer->files);

    if ( !file )
        return handle_no_memory(writer->handle);
    *file = (struct writer_file){
        .size = writer->file_size,
        .before = writer->before_file,
        .last = writer->now ? writer->now : writer->newest,
        .number = writer->file,
    };
    settle_ends(writer);
    return XENOPROF_OK;
}

/* What a file of an earlier writer says of the samples before it, and when it
 * ended; nothing, if it is damaged. */
static enum xenoprof_status read_earlier_writer(struct xenoprof_handle *handle,
                                                const char *path,
                                                struct writer_file *ret)
{
    struct xenoprof_session *session;
    struct xenoprof_item item;
    enum xenoprof_status status = xenoprof_session_open(handle, path, &session);

    if ( status )
        return status;
    status = xenoprof_session_next(session, &item);
    if ( session->blocks )
    {
        ret->before = session->samples_before;
        ret->last = seek_last(session);
    }
    xenoprof_session_close(session);
    return status;
}

static enum xenoprof_status find_file(struct xenoprof_writer *writer,
                                      uint32_t number)
{
    char *path SCOPE_FREE = NULL;
    char name[FILE_NAME_SIZE];
    struct writer_file *file = vector_add(&writer->files);
    struct stat about = {.st_size = 0};

    session_file_name(number, name);
    if ( asprintf(&path, "%s/%s", writer->folder, name) < 0 )
        path = NULL;
    if ( !file || !path )
        return handle_no_memory(writer->handle);
    file->number = number;
    if ( !stat(path, &about) )
        file->size = (uint64_t)about.st_size;
    return read_earlier_writer(writer->handle, path, file);
}

/* What is before the first file that is left was dropped. */
static void note_expired(struct xenoprof_writer *writer)
{
    writer->expired = writer->files.count ? writer->files.items[0].before
                                          : writer->before_file;
}

enum xenoprof_status writer_find_files(struct xenoprof_writer *writer)
{
    struct session_files files;
    enum xenoprof_status status = session_files_list(writer->handle,
                                                     writer->folder, &files);

    for ( size_t i = 0; status != XENOPROF_NO_MEMORY && i < files.count; i++ )
        status = find_file(writer, files.items[i]);
    session_files_free(&files);
    note_expired(writer);
    settle_ends(writer);
    return status == XENOPROF_NO_MEMORY ? status : XENOPROF_OK;
}

/* A file that cannot be removed stays until the next one is full. */
static bool drop_oldest(struct xenoprof_writer *writer)
{
    char name[FILE_NAME_SIZE];

    session_file_name(writer->files.items[0].number, name);
    if ( unlinkat(writer->folder_fd, name, 0) )
        return false;
    writer->files.count--;
    memmove(writer->files.items, writer->files.items + 1,
            writer->files.count * sizeof(*writer->files.items));
    note_expired(writer);
    return true;
}

void writer_expire(struct xenoprof_writer *writer)
{
    uint64_t size = writer->rotate_at; /* of the file that comes */

    /* Nobody could say any more what was dropped. */
    if ( writer->state.closed )
        return;
    for ( size_t i = 0; i < writer->files.count; i++ )
        size += writer->files.items[i].size;
    while ( writer->max_size && size > writer->max_size &&
            writer->files.count > 1 )
    {
        size -= writer->files.items[0].size;
        if ( !drop_oldest(writer) )
            break;
    }
}

void writer_expire_old(struct xenoprof_writer *writer)
{
    const struct writer_file *oldest = writer->files.items;

    while ( writer->max_age && !writer->state.closed && writer->files.count &&
            oldest->last && writer->now > oldest->last &&
            writer->now - oldest->last > writer->max_age )
        if ( !drop_oldest(writer) )
            break;
}

void xenoprof_writer_max_age(struct xenoprof_writer *writer, uint64_t ns)
{
    uint64_t file_age = ns / FILES_USUAL;

    writer->max_age = ns;
    if ( !ns || file_age > FILE_AGE_MAX )
        file_age = FILE_AGE_MAX;
    writer->file_age = file_age > FILE_AGE_LEAST ? file_age : FILE_AGE_LEAST;
}

void xenoprof_writer_max_size(struct xenoprof_writer *writer, uint64_t bytes)
{
    writer->max_size = bytes;
    if ( bytes && writer->rotate_at > bytes / FILES_USUAL )
        writer->rotate_at = bytes / FILES_USUAL;
    /* A writer before may have left small files, none of which was full. */
    writer_expire(writer);
}

uint64_t xenoprof_writer_expired(const struct xenoprof_writer *writer)
{
    return writer->expired;
}

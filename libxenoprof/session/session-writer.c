/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a session's files: creates, flushes, rotates and closes. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own-folder.h"
#include "session-block.h"
#include "session-files.h"
#include "session-sweep.h"
#include "session-writer.h"

#define ROTATE_AT (256ull << 20)

static enum xenoprof_status lock_folder(struct xenoprof_writer *writer)
{
    writer->folder_fd = own_folder_open(writer->folder, geteuid());
    if ( writer->folder_fd < 0 && errno == EPERM )
        return handle_fail_system(writer->handle,
                                  "%s: not this user's alone to write to",
                                  writer->folder);
    if ( writer->folder_fd < 0 )
        return handle_fail_system(writer->handle, "%s: cannot open the folder",
                                  writer->folder);
    if ( flock(writer->folder_fd, LOCK_EX | LOCK_NB) )
        return handle_fail_system(writer->handle,
                                  "%s: another process writes this session",
                                  writer->folder);
    return XENOPROF_OK;
}

enum xenoprof_status writer_new(struct xenoprof_handle *handle,
                                const char *folder,
                                struct xenoprof_writer **ret)
{
    struct xenoprof_writer *writer = calloc(1, sizeof(*writer));
    enum xenoprof_status status;

    if ( !writer )
        return handle_no_memory(handle);
    writer->handle = handle;
    state_init(&writer->state);
    writer->folder_fd = writer->fd = -1;
    writer->rotate_at = ROTATE_AT;
    writer->folder = strdup(folder);
    writer->zstd = ZSTD_createCCtx();
    if ( !writer->folder || !writer->zstd )
        status = handle_no_memory(handle);
    else
        status = lock_folder(writer);
    if ( status )
        xenoprof_writer_destroy(writer);
    else
        *ret = writer;
    return status;
}

void xenoprof_writer_destroy(struct xenoprof_writer *writer)
{
    if ( !writer )
        return;
    if ( writer->fd >= 0 )
        close(writer->fd);
    if ( writer->folder_fd >= 0 )
        close(writer->folder_fd);
    state_deinit(&writer->state);
    vector_free(&writer->files);
    buffer_free(&writer->raw);
    buffer_free(&writer->block);
    ZSTD_freeCCtx(writer->zstd);
    free(writer->folder);
    free(writer);
}

static enum xenoprof_status refuse_existing(struct xenoprof_writer *writer)
{
    struct session_files files = {0};
    enum xenoprof_status status = session_files_list(writer->handle,
                                                     writer->folder, &files);
    size_t count = files.count;

    session_files_free(&files);
    if ( !status && count )
        status = handle_fail(
            writer->handle, XENOPROF_INVALID,
            "%s: there is a session already; take another name "
            "or remove it",
            writer->folder);
    return status;
}

enum xenoprof_status xenoprof_writer_create(struct xenoprof_handle *handle,
                                            const char *folder,
                                            struct xenoprof_writer **ret)
{
    struct xenoprof_writer *writer;
    enum xenoprof_status status;

    if ( mkdir(folder, 0700) && errno != EEXIST )
        return handle_fail_system(handle, "%s: cannot make the folder", folder);
    status = writer_new(handle, folder, &writer);
    if ( status )
        return status;
    status = refuse_existing(writer);
    if ( !status &&
         getrandom(&writer->session, sizeof(writer->session), 0) < 0 )
        status = handle_fail_system(handle, "%s: no random number", folder);
    if ( !status )
        status = writer_make_file(writer);
    if ( !status )
        status = writer_begin(writer, true);
    if ( status )
        xenoprof_writer_destroy(writer);
    else
        *ret = writer;
    return status;
}

/* Cut off what a failed write left; the next write begins there. */
static enum xenoprof_status undo_write(struct xenoprof_writer *writer,
                                       const char *what)
{
    enum xenoprof_status status = handle_fail_system(
        writer->handle,
        "%s: %s in file %u failed; what waits stays in memory until the next "
        "try",
        writer->folder, what, writer->file);
    int error = writer->handle->error;

    if ( ftruncate(writer->fd, writer->file_size) )
        handle_fail_system(writer->handle,
                           "%s: file %u ends in a torn block and cannot be "
                           "cut",
                           writer->folder, writer->file);
    writer->handle->error = error;
    lseek(writer->fd, writer->file_size, SEEK_SET);
    return status;
}

static enum xenoprof_status append(struct xenoprof_writer *writer,
                                   const void *bytes, size_t size)
{
    const uint8_t *at = bytes;
    size_t left = size;

    while ( left )
    {
        ssize_t done = write(writer->fd, at, left);

        if ( done < 0 && errno == EINTR )
            continue;
        if ( done < 0 )
            return undo_write(writer, "writing");
        at += done;
        left -= done;
    }
    if ( fdatasync(writer->fd) )
        return undo_write(writer, "syncing");
    writer->file_size += size;
    return XENOPROF_OK;
}

enum xenoprof_status writer_make_file(struct xenoprof_writer *writer)
{
    char name[FILE_NAME_SIZE];
    struct session_file_header header;
    enum xenoprof_status status;

    session_file_name(writer->file, name);
    writer->file_size = 0;
    writer->fd = openat(writer->folder_fd, name,
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                        0600);
    if ( writer->fd < 0 )
        return handle_fail_system(writer->handle, "%s/%s: cannot make it",
                                  writer->folder, name);
    file_header_init(&header, writer->file, writer->session);
    status = append(writer, &header, sizeof(header));
    if ( !status && fsync(writer->folder_fd) )
        status = handle_fail_system(
            writer->handle, "%s: cannot sync the folder", writer->folder);
    if ( status )
    {
        close(writer->fd);
        writer->fd = -1;
        /* For the next try, which makes it anew. */
        unlinkat(writer->folder_fd, name, 0);
    }
    return status;
}

static enum xenoprof_status encode_known(struct xenoprof_writer *writer)
{
    const struct session_state *state = &writer->state;
    enum xenoprof_status status = encode_numbers(writer);

    /* Some attributes are of the domain that has a number. */
    for ( size_t i = 0; !status && i < state->domains.count; i++ )
        status = encode_domain(writer, &state->domains.items[i]);
    for ( size_t i = 0; !status && i < state->attributes.count; i++ )
        status = encode_attribute(writer, &state->attributes.items[i]);
    for ( size_t i = 0; !status && i < state->ring_sums.count; i++ )
        status = encode_ring_sum(writer, table_at(&state->ring_sums, i),
                                 i == 0);
    for ( size_t i = 0; !status && i < state->rings.count; i++ )
        status = encode_ring(writer, &state->rings.items[i]);
    if ( !status && state->counted )
        status = encode_counters(writer, state->counters_time,
                                 &state->counters);
    return status;
}

enum xenoprof_status writer_begin(struct xenoprof_writer *writer, bool file)
{
    enum xenoprof_status status;

    writer->raw.used = 0;
    writer->preamble = 0;
    writer->before = (struct session_before){0};
    if ( !file )
        return XENOPROF_OK;
    writer->before_file = writer_samples_before(writer);
    status = encode_known(writer);
    writer->preamble = writer->raw.used;
    return status;
}

void xenoprof_writer_rotate_at(struct xenoprof_writer *writer, uint64_t bytes)
{
    writer->rotate_at = bytes;
}

size_t xenoprof_writer_pending(const struct xenoprof_writer *writer)
{
    return writer->raw.used - writer->preamble;
}

static enum xenoprof_status next_file(struct xenoprof_writer *writer)
{
    enum xenoprof_status status = writer_keep_file(writer);

    if ( status )
        return status;
    close(writer->fd);
    writer->fd = -1;
    writer_expire(writer);
    writer->file++;
    return writer_begin(writer, true);
}

static enum xenoprof_status write_block(struct xenoprof_writer *writer)
{
    enum xenoprof_status status = XENOPROF_OK;

    writer->block.used = 0;
    if ( !block_seal(writer->zstd, &writer->raw, writer->sequence,
                     &writer->block) )
        return handle_no_memory(writer->handle);
    if ( writer->fd < 0 )
        status = writer_make_file(writer);
    if ( !status )
        status = append(writer, writer->block.bytes, writer->block.used);
    if ( !status )
        writer->sequence++;
    return status;
}

enum xenoprof_status xenoprof_writer_flush(struct xenoprof_writer *writer)
{
    enum xenoprof_status status = XENOPROF_OK;

    if ( xenoprof_writer_pending(writer) )
        status = write_block(writer);
    if ( status )
        return status;
    state_sweep_now_and_then(&writer->state);
    if ( !xenoprof_writer_pending(writer) )
        return XENOPROF_OK;
    if ( writer->file_size >= writer->rotate_at )
        return next_file(writer);
    return writer_begin(writer, false);
}

enum xenoprof_status xenoprof_writer_rotate(struct xenoprof_writer *writer)
{
    enum xenoprof_status status = xenoprof_writer_flush(writer);

    /* The flush may have ended the file already. */
    if ( status || writer->fd < 0 )
        return status;
    return next_file(writer);
}

enum xenoprof_status xenoprof_writer_close(struct xenoprof_writer *writer,
                                           uint64_t time)
{
    enum xenoprof_status status = XENOPROF_OK;

    if ( !writer->state.closed )
        status = encode_closed(writer, time);
    if ( status )
        return status;
    writer->state.closed = true;
    return xenoprof_writer_flush(writer);
}

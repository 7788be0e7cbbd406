/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a session's files: creates, flushes, rotates and closes. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own-folder.h"
#include "session-block.h"
#include "session-files.h"
#include "session-writer.h"

#define ROTATE_AT         (256ull << 20)
#define TABLES_BYTES_MAX  (24u << 20)
#define TABLES_MEMORY_MAX (32u << 20)
#define FILE_AGE_MIN      10000000000ull
#define RELATIVE_MAX      16u  /* blocks from one absolute one to the next */
#define LOCK_TRIES        100u /* a millisecond each */
#define NUMBERS_MAX       (1u << 31) /* of places, before they begin anew */

/* A report that asks whether this is written has the lock while it looks. */
static bool take_folder_lock(int folder)
{
    for ( unsigned int i = 0; i < LOCK_TRIES; i++ )
    {
        if ( !flock(folder, LOCK_EX | LOCK_NB) )
            return true;
        poll(NULL, 0, 1);
    }
    errno = EWOULDBLOCK;
    return false;
}

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
    if ( !take_folder_lock(writer->folder_fd) )
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
    defined_tables_init(&writer->tables);
    table_init(&writer->idles, sizeof(uint64_t), sizeof(struct writer_idle));
    writer->unit = 1;
    writer->folder_fd = writer->fd = -1;
    writer->rotate_at = ROTATE_AT;
    writer->file_age = FILE_AGE_MAX;
    writer->folder = strdup(folder);
    writer->domain_rows = calloc(DOMAIN_NUMBERS, sizeof(*writer->domain_rows));
    writer->known_room = KNOWN_PARTS_FIRST;
    writer->known = calloc(writer->known_room, sizeof(*writer->known));
    writer->ways = calloc(SAMPLE_CHAINS, sizeof(*writer->ways));
    writer->section.shapes = &writer->tables.shape_has;
    writer->samples_section.shapes = &writer->tables.shape_has;
    if ( !writer->folder || !writer->domain_rows || !writer->known ||
         !writer->ways || !writer_types_init(writer) ||
         !column_packer_init(&writer->section.columns) ||
         !column_packer_init(&writer->samples_section.columns) )
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
    writer_types_free(writer);
    vector_free(&writer->files);
    vector_free(&writer->rings);
    table_free(&writer->idles);
    defined_tables_free(&writer->tables);
    block_free(&writer->block);
    section_writer_free(&writer->section);
    section_writer_free(&writer->samples_section);
    buffer_free(&writer->bytes);
    free(writer->domain_rows);
    free(writer->known);
    free(writer->ways);
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

static enum xenoprof_status append_to_file(struct xenoprof_writer *writer,
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
    if ( !writer->copies && fdatasync(writer->fd) )
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
    status = append_to_file(writer, &header, sizeof(header));
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

/* Nothing is defined any more, but what has no name yet.  Returns false if
 * there is no memory. */
static bool forget_file(struct xenoprof_writer *writer)
{
    struct carried carried = {NULL, 0, 0};
    bool done = carry_out(&writer->tables, &writer->state, &carried);

    writer->places_before += writer->tables.places.count;
    if ( writer->places_before > NUMBERS_MAX )
        writer->places_before = 0;
    defined_tables_clear(&writer->tables);
    done = carry_in(&writer->tables, &carried) && done;
    writer->carried = (uint32_t)writer->tables.places.count;
    writer->written = (struct tables_written){{0}};
    memset(writer->domain_rows, 0,
           DOMAIN_NUMBERS * sizeof(*writer->domain_rows));
    memset(writer->xen_spaces, 0, sizeof(writer->xen_spaces));
    memset(writer->known, 0, writer->known_room * sizeof(*writer->known));
    memset(writer->ways, 0, SAMPLE_CHAINS * sizeof(*writer->ways));
    writer->rings.count = 0;
    table_free(&writer->idles);
    writer->file_began = writer->newest = 0;
    return done;
}

enum xenoprof_status writer_begin(struct xenoprof_writer *writer, bool file)
{
    bool absolute = file ||
                    (!writer->copies && ++writer->relative == RELATIVE_MAX);
    bool done = !file || forget_file(writer);

    if ( absolute )
        writer->relative = 0;
    block_begin_rows(writer, absolute);
    if ( !file )
        return XENOPROF_OK;
    writer->before_file = writer->samples;
    if ( !done || !writer_types_begin_file(writer) || !block_known(writer) )
        return handle_no_memory(writer->handle);
    writer->block.pending = 0;
    return XENOPROF_OK;
}

void xenoprof_writer_rotate_at(struct xenoprof_writer *writer, uint64_t bytes)
{
    writer->rotate_at = bytes;
}

void xenoprof_writer_time_unit(struct xenoprof_writer *writer, uint64_t ns)
{
    writer->unit = ns;
}

uint32_t xenoprof_writer_epoch(const struct xenoprof_writer *writer)
{
    return writer->files_ended;
}

size_t xenoprof_writer_pending(const struct xenoprof_writer *writer)
{
    return writer->block.pending;
}

static enum xenoprof_status begin_next_file(struct xenoprof_writer *writer)
{
    enum xenoprof_status status = writer_keep_file(writer);

    if ( status )
        return status;
    close(writer->fd);
    writer->fd = -1;
    writer_expire(writer);
    writer->file++;
    writer->files_ended++;
    return writer_begin(writer, true);
}

static enum xenoprof_status write_block(struct xenoprof_writer *writer)
{
    enum xenoprof_status status = XENOPROF_OK;

    if ( !block_seal(writer) )
        return handle_no_memory(writer->handle);
    /* The last that the file has room for is absolute. */
    if ( !writer->block.absolute &&
         writer->file_size + writer->bytes.used >= writer->rotate_at )
    {
        block_make_absolute(writer);
        if ( !block_seal(writer) )
            return handle_no_memory(writer->handle);
    }
    if ( writer->fd < 0 )
        status = writer_make_file(writer);
    if ( !status )
        status = append_to_file(writer, writer->bytes.bytes,
                                writer->bytes.used);
    if ( !status )
        block_wrote(writer);
    return status;
}

/* Tables double, and there is no memory for large ones that do: a file ends
 * before another block like the last, since before, would have them double. */
static bool outgrows_memory(const struct defined_tables *tables,
                            const struct tables_written *before)
{
    return defined_tables_take(
               tables, tables->places.count - before->rows[SESSION_TABLE_PLACE],
               tables->nodes.count - before->rows[SESSION_TABLE_NODE]) >
           TABLES_MEMORY_MAX;
}

/* A file that defines much ends, but not at once: each begins with what is
 * known. */
static bool file_is_full(const struct xenoprof_writer *writer,
                         const struct tables_written *before)
{
    uint64_t age = writer->newest - writer->file_began;

    if ( writer->copies )
        return false;
    return writer->file_size >= writer->rotate_at || age >= writer->file_age ||
           outgrows_memory(&writer->tables, before) ||
           (age >= FILE_AGE_MIN &&
            defined_tables_bytes(&writer->tables) >= TABLES_BYTES_MAX);
}

enum xenoprof_status xenoprof_writer_flush(struct xenoprof_writer *writer)
{
    const struct tables_written before = writer->written;
    enum xenoprof_status status;

    if ( !xenoprof_writer_pending(writer) )
        return XENOPROF_OK;
    /* So that no damage before it makes what comes last unknown. */
    if ( writer->state.closed || file_is_full(writer, &before) )
        block_make_absolute(writer);
    status = write_block(writer);
    if ( status )
        return status;
    writer_expire_old(writer);
    return file_is_full(writer, &before) ? begin_next_file(writer)
                                         : writer_begin(writer, false);
}

enum xenoprof_status xenoprof_writer_rotate(struct xenoprof_writer *writer)
{
    enum xenoprof_status status;

    if ( xenoprof_writer_pending(writer) )
        block_make_absolute(writer);
    status = xenoprof_writer_flush(writer);
    /* The flush may have ended the file already. */
    if ( status || writer->fd < 0 )
        return status;
    return begin_next_file(writer);
}

enum xenoprof_status xenoprof_writer_close(struct xenoprof_writer *writer,
                                           uint64_t time)
{
    enum xenoprof_status status = XENOPROF_OK;

    if ( !writer->state.closed )
        status = block_closed(writer, time) ? XENOPROF_OK
                                            : handle_no_memory(writer->handle);
    if ( status )
        return status;
    writer->block.pending += !writer->state.closed;
    writer->state.closed = true;
    return xenoprof_writer_flush(writer);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Continues a session that its writer left open.  The last file with a whole
 * block is enough, since each file begins with all that was known before it.
 * The new writer begins a new file.
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/scope.h"
#include "session-files.h"
#include "session-index.h"
#include "session-reader.h"
#include "session-sweep.h"
#include "session-writer.h"

static void close_session_at(struct xenoprof_session **session)
{
    xenoprof_session_close(*session);
}

static bool recall_text(struct session_state *state, const char *text,
                        uint32_t *ret)
{
    *ret = text ? index_string(state, text, strlen(text)) : 0;
    return !text || *ret;
}

static enum xenoprof_status recall_place(struct xenoprof_writer *writer,
                                         const struct xenoprof_item *item)
{
    const struct xenoprof_place *place = &item->u.place.place;
    struct place_entry entry = {.address = place->address,
                                .symbol_start = place->symbol_start,
                                .domain = place->domain,
                                .mode = place->mode};
    struct session_state *state = &writer->state;

    return recall_text(state, place->image, &entry.image) &&
                   recall_text(state, place->symbol, &entry.symbol) &&
                   index_take_place(state, item->u.place.number, &entry)
               ? XENOPROF_OK
               : handle_no_memory(writer->handle);
}

static enum xenoprof_status recall_ring(struct xenoprof_writer *writer,
                                        const struct xenoprof_item *item)
{
    struct xenoprof_ring_past ring;
    bool changed;

    memset(&ring, 0, sizeof(ring));
    ring.info = item->u.ring.info;
    ring.read = item->u.ring.read;
    ring.lost_daemon = item->u.ring.lost_daemon;
    ring.spooled = item->u.ring.spooled;
    return state_ring(&writer->state, &ring, &changed)
               ? XENOPROF_OK
               : handle_no_memory(writer->handle);
}

static enum xenoprof_status recall(struct xenoprof_writer *writer,
                                   const struct xenoprof_item *item)
{
    struct session_state *state = &writer->state;

    switch ( item->kind )
    {
    case XENOPROF_ITEM_ATTRIBUTE:
        return xenoprof_writer_attribute(
            writer, item->time, item->u.attribute.key, item->u.attribute.value);
    case XENOPROF_ITEM_DOMAIN:
        return xenoprof_writer_domain(writer, item->time, item->u.domain.domain,
                                      item->u.domain.uuid, item->u.domain.name,
                                      item->u.domain.kind);
    case XENOPROF_ITEM_PLACE: return recall_place(writer, item);
    case XENOPROF_ITEM_STACK:
        return index_take_stack(state, item->u.stack.number,
                                item->u.stack.places, item->u.stack.count)
                   ? XENOPROF_OK
                   : handle_no_memory(writer->handle);
    case XENOPROF_ITEM_RING: return recall_ring(writer, item);
    case XENOPROF_ITEM_RING_SUM:
        return ring_sums_add(&state->ring_sums, &item->u.ring_sum.sum)
                   ? XENOPROF_OK
                   : handle_no_memory(writer->handle);
    case XENOPROF_ITEM_COUNTERS:
        state->counters = item->u.counters;
        state->counters_time = item->time;
        state->counted = true;
        return XENOPROF_OK;
    case XENOPROF_ITEM_CLOSED: state->closed = true; return XENOPROF_OK;
    default: return XENOPROF_OK;
    }
}

/* Numbers that earlier files defined are never given out again. */
static enum xenoprof_status recall_numbers(
    struct xenoprof_writer *writer, const struct xenoprof_session *session)
{
    const struct place_entry gone = {.stale = true};
    struct session_tables *tables = &writer->state.tables;
    uint32_t place = session->last_place, stack = session->last_stack, none = 0;

    if ( (tables->last_place < place &&
          !tables_set_place(tables, place, &gone)) ||
         (tables->last_stack < stack &&
          !tables_set_stack(tables, stack, &none, 0)) )
        return handle_no_memory(writer->handle);
    return XENOPROF_OK;
}

/* Take in all of one file except for damaged parts. */
static enum xenoprof_status recall_file(struct xenoprof_writer *writer,
                                        struct xenoprof_session *session)
{
    struct xenoprof_item item;
    enum xenoprof_status status;

    while ( (status = xenoprof_session_next(session, &item)) != XENOPROF_END )
    {
        if ( !status )
            status = recall(writer, &item);
        if ( status && status != XENOPROF_DAMAGED )
            return status;
        /* writer_begin() encodes all of it for the new file. */
        writer->raw.used = 0;
    }
    writer->session = session->session;
    writer->sequence = session->sequence;
    return recall_numbers(writer, session);
}

/* Cut off the block that was being written when the writer died. */
static enum xenoprof_status cut(struct xenoprof_writer *writer,
                                const struct xenoprof_session *session)
{
    SCOPE_CLOSE int file = -1;

    if ( !session->torn )
        return XENOPROF_OK;
    file = open(session->path, O_WRONLY | O_NOFOLLOW | O_CLOEXEC);
    /* Not truncate(), which the daemon's filter does not allow. */
    if ( file < 0 || ftruncate(file, session->offset) )
        return handle_fail_system(writer->handle,
                                  "%s: cannot cut off the torn last block",
                                  session->path);
    return XENOPROF_OK;
}

/* Try one file; the caller goes from the last backwards.  *done says that the
 * file has a whole block. */
static enum xenoprof_status try_file(struct xenoprof_writer *writer,
                                     uint32_t number, bool *done)
{
    __attribute__((
        cleanup(close_session_at))) struct xenoprof_session *session = NULL;
    SCOPE_FREE char *path = NULL;
    char name[FILE_NAME_SIZE];
    enum xenoprof_status status;

    session_file_name(number, name);
    if ( asprintf(&path, "%s/%s", writer->folder, name) < 0 )
    {
        path = NULL;
        return handle_no_memory(writer->handle);
    }
    status = xenoprof_session_open(writer->handle, path, &session);
    if ( !status )
        status = recall_file(writer, session);
    if ( status )
        return status;
    *done = session->blocks;
    writer->file = number + (*done ? 1 : 0);
    if ( *done )
        return cut(writer, session);
    if ( unlink(path) )
        return handle_fail_system(writer->handle, "%s: cannot remove it", path);
    return XENOPROF_OK;
}

static enum xenoprof_status recall_session(struct xenoprof_writer *writer)
{
    struct session_files files;
    bool done = false;
    enum xenoprof_status status = session_files_list(writer->handle,
                                                     writer->folder, &files);

    if ( !status && !files.count )
        status = handle_fail(writer->handle, XENOPROF_NOT_FOUND,
                             "%s: no session in this folder", writer->folder);
    for ( size_t i = files.count; !status && !done && i--; )
        status = try_file(writer, files.items[i], &done);
    session_files_free(&files);
    if ( !status && writer->state.closed )
        status = handle_fail(writer->handle, XENOPROF_INVALID,
                             "%s: the session is closed; start a new one",
                             writer->folder);
    return status;
}

enum xenoprof_status xenoprof_writer_reopen(struct xenoprof_handle *handle,
                                            const char *folder,
                                            struct xenoprof_writer **ret)
{
    struct xenoprof_writer *writer;
    enum xenoprof_status status = writer_new(handle, folder, &writer);

    if ( status )
        return status;
    status = recall_session(writer);
    /* Numbers that the last file does not define take no memory. */
    if ( !status && !state_sweep(&writer->state) )
        status = handle_no_memory(handle);
    if ( !status )
        status = writer_find_files(writer);
    if ( !status )
        status = writer_begin(writer, true);
    if ( status )
        xenoprof_writer_destroy(writer);
    else
        *ret = writer;
    return status;
}

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
#include "session-reader.h"
#include "session-writer.h"

static void close_session_at(struct xenoprof_session **session)
{
    xenoprof_session_close(*session);
}

static bool recall_ring(struct session_state *state,
                        const struct xenoprof_item *item)
{
    struct xenoprof_ring_past ring;
    bool changed;

    memset(&ring, 0, sizeof(ring));
    ring.info = item->u.ring.info;
    ring.read = item->u.ring.read;
    ring.lost_daemon = item->u.ring.lost_daemon;
    ring.spooled = item->u.ring.spooled;
    return state_ring(state, &ring, &changed);
}

static bool recall_domain(struct session_state *state,
                          const struct xenoprof_item *item)
{
    struct domain_state domain = {.time = item->time,
                                  .name = (char *)item->u.domain.name,
                                  .kind = (char *)item->u.domain.kind,
                                  .domain = item->u.domain.domain};
    bool changed;

    memcpy(domain.uuid, item->u.domain.uuid, sizeof(domain.uuid));
    return state_domain(state, &domain, &changed);
}

static enum xenoprof_status recall(struct xenoprof_writer *writer,
                                   const struct xenoprof_item *item)
{
    struct session_state *state = &writer->state;
    bool done = true, changed;

    switch ( item->kind )
    {
    case XENOPROF_ITEM_ATTRIBUTE:
        done = state_attribute(state, item->time, item->u.attribute.key,
                               item->u.attribute.value, &changed);
        break;
    case XENOPROF_ITEM_DOMAIN: done = recall_domain(state, item); break;
    case XENOPROF_ITEM_RING: done = recall_ring(state, item); break;
    case XENOPROF_ITEM_RING_SUM:
        done = ring_sums_add(&state->ring_sums, &item->u.ring_sum.sum);
        break;
    case XENOPROF_ITEM_COUNTERS:
        state->counters = item->u.counters;
        state->counters_time = item->time;
        state->counted = true;
        break;
    case XENOPROF_ITEM_CLOSED: state->closed = true; break;
    default: break;
    }
    return done ? XENOPROF_OK : handle_no_memory(writer->handle);
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
    }
    if ( session->blocks && !carry_read(&writer->tables, &session->read) )
        return handle_no_memory(writer->handle);
    writer->session = session->session;
    writer->sequence = session->sequence;
    writer->samples = session->blocks ? session->samples_so_far
                                      : writer_samples_before(writer);
    return XENOPROF_OK;
}

/* Cut off the block that was being written when the writer died. */
static enum xenoprof_status cut_torn_block(
    struct xenoprof_writer *writer, const struct xenoprof_session *session)
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
        return cut_torn_block(writer, session);
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

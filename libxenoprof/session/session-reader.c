/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Opens a session and reads it item by item. */
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "session-reader.h"

static enum xenoprof_status find_files(struct xenoprof_session *session,
                                       const char *path)
{
    struct stat about;
    enum xenoprof_status status;

    if ( stat(path, &about) )
        return handle_fail_system(session->handle,
                                  "%s: cannot find the session", path);
    session->path = strdup(path);
    if ( !session->path )
        return handle_no_memory(session->handle);
    /* A session's own file is empty if its writer died when it made it. */
    if ( S_ISREG(about.st_mode) && !about.st_size &&
         !session_file_is_one(path) )
        return handle_fail(session->handle, XENOPROF_INVALID,
                           "%s: no session: the file is empty", path);
    if ( !S_ISDIR(about.st_mode) )
        return XENOPROF_OK;
    session->folder = strdup(path);
    if ( !session->folder )
        return handle_no_memory(session->handle);
    status = session_files_list(session->handle, path, &session->files);
    if ( status || session->files.count )
        return status;
    return handle_fail(session->handle, XENOPROF_INVALID,
                       "%s: no session in this folder (no file "
                       "DATA.0000)",
                       path);
}

/* A damaged header is reported by the first xenoprof_session_next(), since the
 * rest of the session can be read. */
static enum xenoprof_status complain_later(struct xenoprof_session *session,
                                           enum xenoprof_status status)
{
    if ( status != XENOPROF_DAMAGED )
        return status;
    free(session->complaint);
    session->complaint = strdup(xenoprof_message(session->handle));
    return session->complaint ? XENOPROF_OK : handle_no_memory(session->handle);
}

enum xenoprof_status xenoprof_session_open(struct xenoprof_handle *handle,
                                           const char *path,
                                           struct xenoprof_session **ret)
{
    struct xenoprof_session *session = calloc(1, sizeof(*session));
    enum xenoprof_status status;

    if ( !session )
        return handle_no_memory(handle);
    session->handle = handle;
    session->fd = -1;
    session->steps_allowed = STEPS_FREE;
    status = reader_tables_init(&session->read) &&
                     block_items_init(&session->block_items, &session->read)
                 ? find_files(session, path)
                 : handle_no_memory(handle);
    if ( !status )
        status = complain_later(session, load_file(session, 0));
    if ( status )
        xenoprof_session_close(session);
    else
        *ret = session;
    return status;
}

enum xenoprof_status xenoprof_session_since(struct xenoprof_session *session,
                                            uint64_t position)
{
    return complain_later(session, load_since(session, position));
}

void xenoprof_session_close(struct xenoprof_session *session)
{
    if ( !session )
        return;
    read_ahead_stop(session->read_ahead);
    if ( session->fd >= 0 )
        close(session->fd);
    session_files_free(&session->files);
    buffer_free(&session->payload);
    buffer_free(&session->absolute);
    block_items_free(&session->block_items);
    reader_tables_free(&session->read);
    free(session->folder);
    free(session->path);
    free(session->complaint);
    free(session);
}

/* Returns XENOPROF_END after the block's last item. */
static enum xenoprof_status next_of_block(struct xenoprof_session *session,
                                          struct xenoprof_item *ret)
{
    uint64_t before = session->block_items.steps;
    enum xenoprof_status status;

    if ( session->steps > session->steps_allowed )
        return handle_fail(session->handle, XENOPROF_INVALID,
                           "%s: it has more samples, stacks or names than "
                           "xenoprofd writes into so few bytes; it is not read "
                           "further",
                           session->path);
    status = block_items_next(&session->block_items, ret);
    session->steps += STEPS_ITEM + session->block_items.steps - before;
    return status == XENOPROF_NO_MEMORY ? handle_no_memory(session->handle)
                                        : status;
}

static enum xenoprof_status next_item(struct xenoprof_session *session,
                                      struct xenoprof_item *ret)
{
    enum xenoprof_status status;

    if ( session->complaint )
    {
        SCOPE_FREE char *complaint = session->complaint;

        session->complaint = NULL;
        return handle_fail(session->handle, XENOPROF_DAMAGED, "%s", complaint);
    }
    for ( ;; )
    {
        status = next_of_block(session, ret);
        if ( status != XENOPROF_END )
            return status;
        status = load_block(session);
        if ( status )
            return status;
    }
}

void xenoprof_session_leaves_only(struct xenoprof_session *session)
{
    session->block_items.wanted = ITEMS_LEAVES;
}

/* Tables that only say what samples ran, and what xenopreport counts apart. */
#define TABLES_OF_CODE                                                         \
    (1u << SESSION_TABLE_SPACE | 1u << SESSION_TABLE_SYMBOL |                  \
     1u << SESSION_TABLE_PLACE | 1u << SESSION_TABLE_NAMED |                   \
     1u << SESSION_TABLE_NODE | 1u << SESSION_TABLE_ENTRY |                    \
     1u << SESSION_TABLE_THREAD | 1u << SESSION_TABLE_ORIGIN |                 \
     1u << SESSION_TABLE_LATENCY | 1u << SESSION_TABLE_EXIT |                  \
     1u << SESSION_TABLE_LINE)

void xenoprof_session_who_only(struct xenoprof_session *session)
{
    struct section_reader *section = &session->read.section;

    session->block_items.wanted = ITEMS_WHO;
    section->passed |= TABLES_OF_CODE;
    section->unwanted |= 1u << SESSION_SAMPLE_USER |
                         1u << SESSION_SAMPLE_KERNEL | 1u << SESSION_SAMPLE_XEN;
}

void xenoprof_session_sums(struct xenoprof_session *session)
{
    session->sums = true;
    session->read.section.passed &= ~(1u << SESSION_TABLE_TICKS);
}

void xenoprof_session_without_pcpus(struct xenoprof_session *session)
{
    session->read.section.unwanted |= 1u << SESSION_SAMPLE_PCPU;
}

void xenoprof_session_without_threads(struct xenoprof_session *session)
{
    session->read.section.unwanted |= 1u << SESSION_SAMPLE_THREAD;
}

enum xenoprof_status xenoprof_session_leaf_passes(
    struct xenoprof_session *session, uint32_t place)
{
    struct block_items *items = &session->block_items;

    while ( items->passing.count <= place )
        if ( !vector_add(&items->passing) )
            return handle_no_memory(session->handle);
    items->passing.items[place] = true;
    return XENOPROF_OK;
}

void xenoprof_session_functions_only(struct xenoprof_session *session)
{
    session->block_items.by_function = true;
}

void xenoprof_session_kinds_only(
    struct xenoprof_session *session,
    bool (*kinds)(void *argument, uint32_t file,
                  const struct xenoprof_kind_node *nodes, size_t count,
                  uint32_t *ret),
    void *argument)
{
    session->block_items.wanted = ITEMS_KINDS;
    session->block_items.kinds_of = kinds;
    session->block_items.kinds_argument = argument;
}

void xenoprof_session_without_times(struct xenoprof_session *session)
{
    session->block_items.columns.timeless = true;
    session->read.section.unwanted |= 1u << SESSION_SAMPLE_TIME |
                                      1u << SESSION_SAMPLE_SCALE;
}

void xenoprof_session_pcpus_apart(struct xenoprof_session *session)
{
    session->block_items.pcpus_apart = true;
}

/* The first item says how all of them are read. */
static enum xenoprof_status begin_items(struct xenoprof_session *session,
                                        bool columns)
{
    struct block_items *items = &session->block_items;

    if ( !session->begun && columns && items->wanted == ITEMS_ONES )
        items->wanted = ITEMS_CHAINS;
    session->begun = true;
    if ( columns == (items->wanted != ITEMS_ONES) )
        return XENOPROF_OK;
    return handle_fail(session->handle, XENOPROF_INVALID,
                       "%s: its samples are read %s: go on so, or open it once "
                       "more",
                       session->path, columns ? "one by one" : "in columns");
}

enum xenoprof_status xenoprof_session_next_columns(
    struct xenoprof_session *session, struct xenoprof_item *ret)
{
    enum xenoprof_status status = begin_items(session, true);

    if ( status )
        return status;
    /* Stacks are among what samples ran. */
    do
        status = next_item(session, ret);
    while ( !status && ret->kind == XENOPROF_ITEM_STACK );
    return status;
}

enum xenoprof_status xenoprof_session_next(struct xenoprof_session *session,
                                           struct xenoprof_item *ret)
{
    enum xenoprof_status status = begin_items(session, false);

    return status ? status : next_item(session, ret);
}

uint64_t xenoprof_session_torn(const struct xenoprof_session *session)
{
    return session->torn;
}

/* The latest time in the current file and those after it, all samples but the
 * last block's aside; 0 if they have no block. */
static enum xenoprof_status find_last(struct xenoprof_session *session,
                                      uint64_t *ret)
{
    enum xenoprof_status status;
    struct xenoprof_item item;

    *ret = 0;
    while ( (status = xenoprof_session_next(session, &item)) != XENOPROF_END )
        if ( !status && item.time > *ret )
            *ret = item.time;
        else if ( status && status != XENOPROF_DAMAGED )
            return status;
    return XENOPROF_OK;
}

/* The last file may have no block yet. */
static enum xenoprof_status find_session_end(struct xenoprof_session *session,
                                             uint64_t *ret)
{
    size_t files = session->files.count;
    enum xenoprof_status status;

    xenoprof_session_span(session, UINT64_MAX, UINT64_MAX);
    do
    {
        /* Of the last file known what is no sample is read. */
        session->files.count = files;
        status = load_file(session, files ? files - 1 : 0);
        if ( !status || status == XENOPROF_DAMAGED )
            status = find_last(session, ret);
    } while ( !status && !*ret && files && --files );
    return status;
}

enum xenoprof_status xenoprof_session_end(struct xenoprof_handle *handle,
                                          const char *path, uint64_t *ret)
{
    struct xenoprof_session *session;
    enum xenoprof_status status = xenoprof_session_open(handle, path, &session);

    if ( status )
        return status;
    status = find_session_end(session, ret);
    xenoprof_session_close(session);
    return status;
}

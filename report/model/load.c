/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load.h"

#include "base/clock.h"
#include "base/read-progress.h"
#include "chain-ends.h"
#include "load-items.h"
#include "report/cells/kinds.h"
#include "report/cells/load-behind.h"
#include "report/cells/merge-cells.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static void note_damage(struct loaded *loaded, const char *message)
{
    if ( loaded->damages < DAMAGES_KEPT )
        loaded->damage[loaded->damages] = strdup(message);
    loaded->damages++;
}

enum exit_status load_failed(struct xenoprof_handle *handle,
                             enum xenoprof_status code, const char *path,
                             struct failure *failure)
{
    const char *message = xenoprof_message(handle);
    int error = xenoprof_errno(handle);
    enum exit_status status = STATUS_FAILED;

    if ( code == XENOPROF_NO_MEMORY )
        return fail_memory(failure);
    if ( code == XENOPROF_INVALID || code == XENOPROF_DAMAGED )
        status = STATUS_BAD_SESSION;
    else if ( code == XENOPROF_NEWER )
        status = STATUS_NEWER;
    else if ( code == XENOPROF_NOT_FOUND )
        status = STATUS_NO_SESSION;
    else if ( code == XENOPROF_SYSTEM && (error == EACCES || error == EPERM) )
        return fail(failure, STATUS_NO_ACCESS,
                    "%s cannot be read: sessions are private; run as root or "
                    "as the owner",
                    path);
    return fail(failure, status, "%s",
                *message ? message : "the session cannot be read");
}

/* Once it is known where the span is in Xen's time, blocks without samples of
 * it need not be read. */
static void tell_span(struct loader *loader, struct xenoprof_session *session,
                      const struct xenoprof_item *item, bool *told)
{
    if ( *told || item->kind == XENOPROF_ITEM_ATTRIBUTE ||
         !load_settle_span(loader) )
        return;
    xenoprof_session_span(session, loader->span.from, loader->span.to);
    *told = true;
}

/* Asks for the session's end, if the range is counted from there. */
static enum xenoprof_status find_end(struct xenoprof_handle *handle,
                                     const char *path,
                                     const struct time_range *range,
                                     struct clocks *clocks)
{
    return time_range_needs_end(range)
               ? xenoprof_session_end(handle, path, &clocks->end)
               : XENOPROF_OK;
}

static enum exit_status read_items(struct loader *loader,
                                   struct xenoprof_handle *handle,
                                   struct xenoprof_session *session,
                                   struct read_progress *progress,
                                   const char *path, struct failure *failure)
{
    bool told = time_range_all(loader->wanted.range), any = false;
    struct xenoprof_item item;
    enum xenoprof_status code;

    while ( (code = xenoprof_session_next_columns(session, &item)) !=
            XENOPROF_END )
    {
        /* Blocks have hundreds of items that are not samples. */
        if ( code == XENOPROF_OK && item.kind == XENOPROF_ITEM_SAMPLES )
            read_progress_step(progress, monotonic_now(), loader->loaded->read);
        any = true;
        if ( code == XENOPROF_DAMAGED )
            note_damage(loader->loaded, xenoprof_message(handle));
        else if ( code != XENOPROF_OK )
            return load_failed(handle, code, path, failure);
        else if ( !load_item(loader, &item) )
            return fail_memory(failure);
        else
            tell_span(loader, session, &item, &told);
        if ( loader->loaded->several && loader->wanted.any_vcpu &&
             loader->wanted.any_pcpu )
            xenoprof_session_pcpus_apart(session);
    }
    if ( !any )
        return fail(failure, STATUS_BAD_SESSION,
                    "%s holds nothing: it was only just begun, or whoever "
                    "began it was ended before its first block was whole",
                    path);
    return STATUS_DONE;
}

/* All is there: what samples ran is known by its number now. */
static void load_end(struct loaded *loaded)
{
    table_find_none(&loaded->spots);
    table_find_none(&loaded->nodes);
    table_find_none(&loaded->calls);
}

/* Of all types of samples one is shown. */
static enum exit_status keep_type(struct loaded *loaded, const char *path,
                                  struct failure *failure)
{
    if ( types_choose(loaded, path, failure) )
        return failure->status;
    if ( !types_keep(loaded) )
        return fail_memory(failure);
    chain_ends_count(loaded);
    return STATUS_DONE;
}

static enum exit_status load_items(struct loader *loader,
                                   struct xenoprof_handle *handle,
                                   struct xenoprof_session *session,
                                   const char *path, struct failure *failure)
{
    struct read_progress progress;

    read_progress_begin(&progress,
                        loader->wanted.silent ? NULL : read_progress_terminal(),
                        monotonic_now());
    read_items(loader, handle, session, &progress, path, failure);
    read_progress_end(&progress);
    if ( failure->status )
        return failure->status;
    loader->loaded->read += xenoprof_session_left_out(session);
    if ( !behind_end(loader) || !merge_cells_last(loader) )
        return fail_memory(failure);
    load_end(loader->loaded);
    loader->loaded->torn = xenoprof_session_torn(session);
    if ( !load_settle_span(loader) )
        return fail(failure, STATUS_USAGE,
                    "%s does not record UTC: give the time "
                    "range in seconds since its start",
                    path);
    return keep_type(loader->loaded, path, failure);
}

enum exit_status load_session(struct loaded *loaded, const char *path,
                              const struct load_wanted *wanted,
                              struct failure *failure)
{
    struct loader loader;
    bool done = loader_init(&loader, loaded, wanted);
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_session *session = NULL;
    enum exit_status status;
    enum xenoprof_status code;

    if ( !handle || !done )
        status = fail_memory(failure);
    else if ( (code = find_end(handle, path, wanted->range, &loaded->clocks)) ||
              (code = xenoprof_session_open(handle, path, &session)) )
        status = load_failed(handle, code, path, failure);
    else
    {
        if ( wanted->stacks )
            xenoprof_session_kinds_only(session, load_kinds, &loader);
        else
            xenoprof_session_leaves_only(session);
        if ( !wanted->addresses )
            xenoprof_session_functions_only(session);
        if ( !loaded->timeline.wanted && time_range_all(wanted->range) )
            xenoprof_session_without_times(session);
        if ( wanted->readers > 1 )
        {
            xenoprof_session_threads(session, wanted->readers - 1);
            behind_start(&loader);
        }
        status = load_items(&loader, handle, session, path, failure);
    }
    xenoprof_session_close(session);
    xenoprof_close(handle);
    loader_free(&loader);
    return status;
}

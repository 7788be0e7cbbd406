/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load.h"

#include "base/must.h"
#include "base/clock.h"
#include "base/read-progress.h"
#include "chain-ends.h"
#include "load-items.h"
#include "query.h"
#include "report/cells/count-thread.h"
#include "report/cells/spooled-cells.h"
#include "report/time/time-survey.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* More owners of time than that make too many who[] of a session. */
#define OWNERS_APART 64u

static void note_damage(struct loaded *loaded, const char *message)
{
    if ( loaded->damages < DAMAGES_KEPT )
        loaded->damage[loaded->damages] = must(strdup(message));
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
        no_memory();
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
                      const struct xenoprof_item *item, bool *noted)
{
    if ( *noted || item->kind == XENOPROF_ITEM_ATTRIBUTE ||
         !load_settle_span(loader) )
        return;
    xenoprof_session_span(session, loader->span.from, loader->span.to);
    *noted = true;
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

static enum exit_status load_session_items(struct loader *loader,
                                           struct xenoprof_handle *handle,
                                           struct xenoprof_session *session,
                                           struct read_progress *progress,
                                           const char *path,
                                           struct failure *failure)
{
    const struct read_watch *watch = loader->wanted.watch;
    bool noted = time_range_all(loader->wanted.range), any = false;
    struct xenoprof_item item;
    enum xenoprof_status code;

    while ( (code = xenoprof_session_next_columns(session, &item)) !=
            XENOPROF_END )
    {
        /* Blocks have hundreds of items that are not samples. */
        if ( code == XENOPROF_OK && item.kind == XENOPROF_ITEM_SAMPLES )
            read_progress_step(progress, monotonic_now(), loader->loaded->read);
        if ( watch && !watch->step(watch->argument, loader->loaded) )
            return fail(failure, STATUS_FAILED, "the reading was ended");
        any = true;
        if ( code == XENOPROF_DAMAGED )
            note_damage(loader->loaded, xenoprof_message(handle));
        else if ( code != XENOPROF_OK )
            return load_failed(handle, code, path, failure);
        else
        {
            load_item(loader, &item);
            tell_span(loader, session, &item, &noted);
        }
    }
    if ( !any )
        return fail(failure, STATUS_BAD_SESSION,
                    "%s holds nothing: it was only just begun, or whoever "
                    "began it was ended before its first block was whole",
                    path);
    return STATUS_DONE;
}

/* Of all types of samples one is shown. */
static enum exit_status keep_type(struct loaded *loaded, const char *path,
                                  struct failure *failure)
{
    if ( types_choose(loaded, path, failure) )
        return failure->status;
    types_keep(loaded);
    chain_ends_count(loaded);
    return STATUS_DONE;
}

static enum exit_status load_items(struct loader *loader,
                                   struct xenoprof_handle *handle,
                                   struct xenoprof_session *session,
                                   const char *path, struct failure *failure)
{
    const struct join_rule of = load_join_rule(&loader->wanted);
    struct read_progress progress;

    read_progress_begin(&progress,
                        loader->wanted.silent ? NULL : read_progress_terminal(),
                        monotonic_now());
    load_session_items(loader, handle, session, &progress, path, failure);
    read_progress_end(&progress);
    if ( failure->status )
        return failure->status;
    loader->loaded->read += xenoprof_session_left_out(session);
    count_thread_end(loader);
    spooled_make_calls(loader);
    spooled_give_time(loader->loaded, &of);
    /* All is there: what samples ran is known by its number now. */
    thunks_leave_out(loader->loaded);
    table_find_none(&loader->loaded->spots);
    table_find_none(&loader->loaded->nodes);
    table_find_none(&loader->loaded->calls);
    loader->loaded->torn = xenoprof_session_torn(session);
    if ( !load_settle_span(loader) )
        return fail(failure, STATUS_USAGE,
                    "%s does not record UTC: give the time "
                    "range in seconds since its start",
                    path);
    return keep_type(loader->loaded, path, failure);
}

/* Sums are by vCPU. */
static bool takes_sums(const struct slots *slots,
                       const struct load_wanted *wanted)
{
    return !slots->by_pcpu && !wanted->no_sums;
}

/* Reads the accounts of a session.  Damage is said when its samples are
 * read. */
static enum exit_status read_accounts(struct time_survey *survey,
                                      struct xenoprof_handle *handle,
                                      const char *path,
                                      const struct load_wanted *wanted,
                                      struct failure *failure)
{
    const bool all = time_range_all(&survey->range);
    const bool sums = takes_sums(&survey->slots, wanted);
    struct xenoprof_session *session;
    enum xenoprof_status code = xenoprof_session_open(handle, path, &session);
    struct xenoprof_item item;
    bool noted = all;

    if ( code )
        return load_failed(handle, code, path, failure);
    code = xenoprof_session_since(session, wanted->since);
    if ( code )
        load_failed(handle, code, path, failure);
    if ( wanted->first )
        xenoprof_session_until(session, xenoprof_session_position(session) +
                                            wanted->first);
    xenoprof_session_who_only(session);
    xenoprof_session_without_threads(session);
    if ( !survey->slots.by_pcpu )
        xenoprof_session_without_pcpus(session);
    if ( all )
        xenoprof_session_without_times(session);
    if ( all && sums )
        xenoprof_session_sums(session);
    else if ( wanted->readers > 1 )
        xenoprof_session_threads(session, wanted->readers - 1);
    while ( !failure->status && (code = xenoprof_session_next_columns(
                                     session, &item)) != XENOPROF_END )
    {
        if ( code && code != XENOPROF_DAMAGED )
            load_failed(handle, code, path, failure);
        else if ( !code )
        {
            survey->old = xenoprof_session_position(session) <= wanted->since;
            survey_item(survey, &item);
        }
        if ( !noted && survey->span_known )
        {
            xenoprof_session_span(session, survey->span.from, survey->span.to);
            if ( sums )
                xenoprof_session_sums(session);
        }
        noted |= survey->span_known;
    }
    survey->end = xenoprof_session_position(session);
    xenoprof_session_close(session);
    return failure->status;
}

/* Xen accounts for each vCPU; where the session has only what it accounts for
 * pCPUs, that has to do. */
static enum exit_status survey_session(struct time_survey *survey,
                                       struct xenoprof_handle *handle,
                                       const char *path,
                                       const struct load_wanted *wanted,
                                       struct loaded *loaded,
                                       struct failure *failure)
{
    const struct clocks clocks = loaded->clocks;

    survey_init(survey, wanted->range, &clocks, false);
    if ( loaded->timeline.wanted )
        survey->slots.rows = &loaded->rows;
    read_accounts(survey, handle, path, wanted, failure);
    if ( !failure->status && survey->pcpus && !survey->vcpus )
    {
        survey_free(survey);
        survey_init(survey, wanted->range, &clocks, true);
        read_accounts(survey, handle, path, wanted, failure);
    }
    if ( !failure->status )
        survey_end(survey);
    return failure->status;
}

static void begin_session(struct loader *loader,
                          struct xenoprof_session *session)
{
    const struct load_wanted *wanted = &loader->wanted;

    if ( wanted->who_only )
    {
        xenoprof_session_who_only(session);
        xenoprof_session_without_threads(session);
    }
    else if ( wanted->stacks )
        xenoprof_session_kinds_only(session, load_kinds, loader);
    else
    {
        xenoprof_session_leaves_only(session);
        loader->leaves = session;
    }
    if ( !wanted->addresses && !wanted->lines )
        xenoprof_session_functions_only(session);
    if ( !loader->loaded->timeline.wanted && !loader->loaded->log.wanted &&
         time_range_all(wanted->range) )
        xenoprof_session_without_times(session);
    if ( wanted->any_pcpu && !loader->slots->by_pcpu && !loader->events )
        xenoprof_session_without_pcpus(session);
    if ( wanted->any_vcpu && wanted->any_pcpu &&
         loader->slots->owners.count > OWNERS_APART )
        xenoprof_session_pcpus_apart(session);
    xenoprof_session_until(session, loader->end);
    if ( wanted->readers <= 1 )
        return;
    xenoprof_session_threads(session, wanted->readers - 1);
    count_thread_start(loader);
}

/* What the account says of pCPUs. */
static void note_pcpus(struct loaded *loaded)
{
    for ( size_t i = 0; i < loaded->slots.owners.count; i++ )
    {
        const struct owner *owner = table_at(&loaded->slots.owners, i);
        const uint64_t number = owner->key.vcpu;
        struct loaded_pcpu *pcpu;

        if ( owner->key.domain != SLOTS_IDLE || !owner->covered )
            continue;
        pcpu = must(table_put(&loaded->pcpus, &number));
        pcpu->wall = owner->covered;
        pcpu->idle = owner->ran;
    }
}

/* Takes what the loader needs to know before samples are counted. */
static enum exit_status begin_loading(struct loader *loader,
                                      struct xenoprof_handle *handle,
                                      const char *path, struct failure *failure)
{
    struct loaded *loaded = loader->loaded;
    struct time_survey survey = {.whos = {.items = NULL}};

    if ( !survey_session(&survey, handle, path, &loader->wanted, loaded,
                         failure) )
    {
        slots_free(&loaded->slots);
        loaded->slots = survey.slots;
        survey.slots = (struct slots){.domain_now = NULL};
        loaded->spooled = survey.spooled;
        spooled_init(&survey.spooled);
        loaded->clocks = survey.clocks;
        loaded->begin = survey.begin;
        loader->slots = &loaded->slots;
        loader->events = survey.events;
        loader->end = loaded->position = survey.end;
        slots_rewind(&loaded->slots);
        time_rows_end(&loaded->rows);
        note_pcpus(loaded);
    }
    survey_free(&survey);
    return failure->status;
}

enum exit_status load_session(struct loaded *loaded, const char *path,
                              const struct load_wanted *wanted,
                              struct failure *failure)
{
    struct loader loader;
    struct xenoprof_handle *handle = must(xenoprof_open());
    struct xenoprof_session *session = NULL;
    enum exit_status status;
    enum xenoprof_status code;

    loader_init(&loader, loaded, wanted);
    if ( (code = find_end(handle, path, wanted->range, &loaded->clocks)) )
        status = load_failed(handle, code, path, failure);
    else if ( begin_loading(&loader, handle, path, failure) )
        status = failure->status;
    else if ( (code = xenoprof_session_open(handle, path, &session)) )
        status = load_failed(handle, code, path, failure);
    else if ( (code = xenoprof_session_since(session, wanted->since)) )
        status = load_failed(handle, code, path, failure);
    else
    {
        begin_session(&loader, session);
        status = load_items(&loader, handle, session, path, failure);
        loaded->sums_wrong = takes_sums(&loaded->slots, wanted) &&
                             types_is_time(&loaded->types) &&
                             !slots_all_seen(&loaded->slots);
    }
    xenoprof_session_close(session);
    xenoprof_close(handle);
    loader_free(&loader);
    return status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "control/session-folders.h"
#include "recording.h"

/* Samples that wait between their halves reach their rings when their pCPU
 * next passes the scheduler; a long hypercall keeps them. */
#define PATIENCE 2000000000ull /* ns */

/* So long a stop waits for kernels of guests that are being looked for. */
#define SEARCH_PATIENCE 5000000000ull /* ns */

static bool all_committed(struct recording *recording)
{
    struct xenoprof_status_page *status = &recording->status;
    uint64_t done;

    if ( xenoprof_source_status(recording->source, status) )
        return true;
    done = status->counters.committed;
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        done += status->counters.lost[i];
    return done >= status->counters.made;
}

enum xenoprof_status recording_finish_search(struct recording *recording)
{
    uint64_t wait = recording->drain.wait;
    uint64_t deadline = monotonic_now() +
                        (wait < SEARCH_PATIENCE ? wait : SEARCH_PATIENCE);
    enum xenoprof_status code;

    /* Samples that were not looked at yet may begin another one. */
    do
        code = recording_work(recording, false);
    while ( !code && recording->guests &&
            guests_is_searching(recording->guests) &&
            monotonic_now() < deadline );
    return code;
}

/* Read until nothing more can come. */
static enum xenoprof_status drain_all(struct recording *recording)
{
    uint64_t deadline = monotonic_now() + PATIENCE;
    enum xenoprof_status code = recording_finish_search(recording);
    bool last;

    if ( code )
        return code;
    do
    {
        last = all_committed(recording) || monotonic_now() >= deadline;
        code = recording_work(recording, last);
        xenoprof_source_heartbeat(recording->source);
        if ( !code && !last )
            poll(NULL, 0, 1);
    } while ( !code && !last );
    return code;
}

static enum xenoprof_status close_session(struct recording *recording)
{
    enum xenoprof_status code = recording_put_changes(recording);

    if ( !code )
        code = recording_put_payloads(recording);
    if ( !code )
        code = recording_put_utc(recording);
    if ( !code )
        code = recording_work(recording, true);
    if ( !code )
        code = xenoprof_writer_close(recording->writer,
                                     recording_time(recording));
    return code;
}

int recording_stop(struct recording *recording, struct failure *failure)
{
    enum xenoprof_status code;
    int status = 0;

    if ( recording->state == RECORDING_STARTING )
    {
        recording_abandon_start(recording);
        return 0;
    }
    door_client_command(&recording->xen->door, "stop");
    code = drain_all(recording);
    if ( !code )
        code = close_session(recording);
    if ( code )
    {
        status = recording_fail(recording, code, failure);
        recording_cannot_store(recording, code);
        drain_give_up(&recording->drain);
    }
    recording->until = utc_now();
    recording->state = RECORDING_STOPPED;
    recording_let_go(recording);
    return status;
}

int recording_save(struct recording *recording, const char *name,
                   struct failure *failure)
{
    enum xenoprof_status code = XENOPROF_OK;

    if ( session_name_check(name, failure) )
        return failure->status;
    /* The files that there are now are whole; the next block makes one. */
    if ( recording->state == RECORDING_RUNNING )
    {
        code = recording_finish_search(recording);
        if ( !code )
            code = recording_work(recording, true);
        if ( !code )
            code = xenoprof_writer_rotate(recording->writer);
    }
    if ( code )
        return recording_fail(recording, code, failure);
    return session_link(recording->options.session_dir, name, failure);
}

/* The same once more; options_text and by are the recording's own until
 * they are replaced. */
static int start_anew(struct recording *recording, struct failure *failure)
{
    struct start_options options;
    char *line SCOPE_FREE = strdup(recording->options_text);
    char *by SCOPE_FREE = strdup(recording->by);
    int status;

    if ( !line || !by )
        return fail_memory(failure);
    start_options_init(&options);
    status = start_options_parse(&options, line, failure);
    if ( !status )
        status = recording_start(recording, &options, by, failure);
    start_options_free(&options);
    return status;
}

int recording_reset(struct recording *recording, struct failure *failure)
{
    bool again = recording->state == RECORDING_RUNNING;
    int status;

    if ( again )
        door_client_command(&recording->xen->door, "stop");
    recording_let_go(recording);
    drain_free(&recording->drain);
    door_client_command(&recording->xen->door, "reset");
    recording->state = RECORDING_NONE;
    status = session_delete(recording->options.session_dir, SESSION_CURRENT,
                            failure);
    if ( status || !again )
        return status;
    return start_anew(recording, failure);
}

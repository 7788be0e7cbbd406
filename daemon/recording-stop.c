/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of a recording.  Samples may still wait for a guest's kernel when
 * sampling stops: rounds go on, and the daemon serves its clients, until none
 * waits any more or it takes too long.  Then the session is closed.
 */
#include <poll.h>

#include "base/clock.h"
#include "recording.h"
#include "recording-attributes.h"
#include "recording-work.h"

#define SECOND 1000000000ull

/* How long a stop waits for samples between their two halves.  They reach
 * their rings when their pCPU next passes the scheduler; a long hypercall
 * delays that. */
#define COMMIT_PATIENCE (2 * SECOND)

/* What is progress: a part of the samples that wait, ns of work on guests.  So
 * neither one sample nor a moment of work now and then keeps a stop waiting. */
#define PROGRESS_PART 16
#define PROGRESS_WORK (SECOND / 4)

/* ns in which walkers may answer when a stop waits no longer. */
#define LAST_WAIT (SECOND / 2)

bool recording_waits(const struct recording *recording)
{
    return recording->guests && (recording->drain.spool.samples ||
                                 guests_is_searching(recording->guests));
}

/* The last samples may come from their rings to those that wait. */
static void look_for_progress(struct recording *recording)
{
    struct stop_progress *last = &recording->stop_progress;
    uint64_t samples = recording->drain.spool.samples;
    uint64_t worked = recording->guests ? guests_stop_work(recording->guests)
                                        : 0;
    uint64_t now = monotonic_now();

    if ( samples > last->samples )
    {
        last->samples = samples;
        last->step = samples / PROGRESS_PART + 1;
    }
    if ( samples + last->step > last->samples &&
         worked < last->worked + PROGRESS_WORK )
        return;
    last->samples = samples;
    last->worked = worked;
    recording->deadline = now + RECORDING_STOP_PATIENCE < last->end
                              ? now + RECORDING_STOP_PATIENCE
                              : last->end;
}

void recording_stop(struct recording *recording)
{
    uint64_t now = monotonic_now();

    if ( recording->state == RECORDING_STARTING )
        recording_abandon_start(recording);
    if ( recording->state != RECORDING_RUNNING )
        return;
    door_client_command(&recording->xen->door, "stop");
    recording_end_time(recording);
    traces_stop(&recording->traces);
    recording->state = RECORDING_STOPPING;
    recording->stop_progress = (struct stop_progress){
        .end = now + RECORDING_STOP_MAX};
    recording->deadline = now + RECORDING_STOP_PATIENCE;
    if ( recording->guests )
        guests_begin_stop(recording->guests);
    recording->commit_deadline = now + COMMIT_PATIENCE;
}

/* True if no more samples can come. */
static bool all_committed(struct recording *recording)
{
    struct xenoprof_status_page *status = &recording->status;
    uint64_t done;

    if ( monotonic_now() >= recording->commit_deadline ||
         xenoprof_source_status(recording->source, status) )
        return true;
    done = status->counters.committed;
    for ( unsigned int i = 0; i < XENOPROF_CAUSES; i++ )
        done += status->counters.lost[i];
    return done >= status->counters.made;
}

int recording_poll_stopping(struct recording *recording,
                            struct failure *failure)
{
    enum xenoprof_status code = recording_work(recording, false);

    if ( monotonic_now() < recording->deadline )
        look_for_progress(recording);
    if ( !code && monotonic_now() < recording->deadline &&
         (recording_waits(recording) || !all_committed(recording)) )
        return 0;
    /* Also if this round could not be stored: it is tried again, and a failure
     * gets its words there. */
    return recording_stop_now(recording, failure);
}

/* Reads until no more samples can come. */
static enum xenoprof_status drain_all(struct recording *recording)
{
    enum xenoprof_status code;
    bool last;

    do
    {
        last = all_committed(recording);
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
        code = drain_finish_waits(&recording->drain);
    if ( !code )
        code = traces_say_end(&recording->traces, recording_time(recording));
    if ( !code )
        code = recording_put_expired(recording);
    if ( !code )
        code = xenoprof_writer_close(recording->writer,
                                     recording_time(recording));
    return code;
}

int recording_stop_now(struct recording *recording, struct failure *failure)
{
    enum xenoprof_status code;
    int status = 0;

    recording_stop(recording);
    if ( recording->state != RECORDING_STOPPING )
        return 0;
    recording->stop_end = monotonic_now() + LAST_WAIT;
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The states of a recording, and what each event does in them:
 *
 *   NONE      start -> STARTING (recording-start.c), adopt -> RUNNING
 *             or STOPPING (recording-adopt.c)
 *   STARTING  poll: guests' kernels are looked for, then Xen samples; the
 *             first sample -> RUNNING; none in time: a failure, and
 *             the caller abandons the start -> NONE; stop -> NONE
 *   RUNNING   poll: rounds of work; stop, or --duration is over -> STOPPING
 *             reset -> NONE, then start
 *   STOPPING  poll: rounds of work; no sample waits any more, or they have
 *             waited too long -> STOPPED (recording-stop.c); a stop that must
 *             not wait -> STOPPED; reset -> NONE
 *   STOPPED   counters stay; reset -> NONE; start -> STARTING
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/scope.h"
#include "control/session-folders.h"
#include "disk.h"
#include "recording.h"
#include "recording-attributes.h"
#include "recording-work.h"
#include "daemon/system/say.h"

#define SECOND       1000000000ull
#define LOOK_EVERY   SECOND
#define LOOK_AT_WORK SECOND
#define LIST_EVERY   (5 * SECOND) /* xenstore reports most changes at once */
#define UTC_EVERY    (60 * SECOND)

void recording_init(struct recording *recording, const struct xen *xen,
                    struct xenoprof_handle *handle)
{
    memset(recording, 0, sizeof(*recording));
    recording->xen = xen;
    recording->handle = handle;
    start_options_init(&recording->options);
}

void recording_free(struct recording *recording)
{
    recording_let_go(recording);
    drain_free(&recording->drain);
    domain_names_free(&recording->names);
    if ( recording->places_ready )
        places_close(&recording->places);
    start_options_free(&recording->options);
    free(recording->options_text);
    recording->options_text = NULL;
}

static int poll_starting(struct recording *recording, struct failure *failure)
{
    const struct xenoprof_counters *seen = &recording->status.counters;
    const struct start_options *options = &recording->options;
    int status;

    /* What is counted may not happen for long. */
    if ( !seen->made && !options->events.count )
    {
        if ( monotonic_now() < recording->deadline )
            return 0;
        return fail(failure, STATUS_NO_SAMPLES,
                    "sampling was started and no sample came (%llu ticks were "
                    "due, %llu missed); see Xen's console with xl dmesg, or "
                    "try --sampler=timer",
                    (unsigned long long)seen->due,
                    (unsigned long long)seen->missed);
    }
    /* The first sample came: the session becomes the current one. */
    status = session_rotate(options->session_dir, failure);
    if ( status )
        return status;
    recording->state = RECORDING_RUNNING;
    recording->deadline = options->duration
                              ? monotonic_now() + options->duration * SECOND
                              : 0;
    return 0;
}

/* Returns why the recording must end, or NULL.  Somebody may have reverted,
 * replaced or reset the module; or since the start a pool may be scheduled by
 * several pCPUs as one, which ticks cannot see: a lock of Xen's has it. */
static const char *must_end(struct recording *recording)
{
    struct xenoprof_door_state state;
    int code = door_client_state(&recording->xen->door, &state);

    if ( code == -ENOENT || (code == 0 && state.status_mfn == 0) )
        return "the module was unloaded or reset from outside";
    if ( code == 0 && state.together > 1 &&
         state.sampler != XENOPROF_SAMPLER_TIMER )
        return "sampling was stopped: since it began Xen schedules several "
               "pCPUs of a pool as one (sched-gran), which NMIs would stall; "
               "with a new --start the timer is the sampler";
    return NULL;
}

/* The lease ran out while this process could not run: start again. */
static void take_up_again(struct recording *recording)
{
    const struct xenoprof_status_page *status = &recording->status;

    if ( status->state == XENOPROF_STATE_STOPPED &&
         status->stop_reason == XENOPROF_STOP_LEASE &&
         door_client_command(&recording->xen->door, "start") == 0 )
        recording->trouble[0] = '\0';
}

static void follow_domains(struct recording *recording)
{
    const struct xen *xen = recording->xen;
    struct domain_list list;

    if ( xen->calls->list_domains(xen->self, &list) )
        return;
    domain_names_learn(&recording->names, &list, &recording->options.domains);
    guests_keep(recording->guests, &list);
    drain_end_domains(&recording->drain);
    if ( follow_update(&recording->follow, &xen->door, &list,
                       &recording->options) &&
         !recording->trouble[0] )
        snprintf(recording->trouble, sizeof(recording->trouble),
                 "a domain is not profiled: %s", recording->follow.refusal);
    domain_list_free(&list);
}

/* Samples stay in the rings until --stop stores them. */
static void leave_room(struct recording *recording)
{
    struct failure failure;

    if ( recording->cannot_store ||
         !disk_check(recording->options.session_dir, &failure) )
        return;
    recording->cannot_store = true;
    snprintf(recording->trouble, sizeof(recording->trouble),
             "sampling was stopped: %.400s", failure.text);
    door_client_command(&recording->xen->door, "stop");
}

static void look_after(struct recording *recording)
{
    uint64_t now = monotonic_now();
    const char *why;

    if ( now < recording->next_look )
        return;
    recording->next_look = now + LOOK_EVERY;
    why = must_end(recording);
    if ( why )
    {
        snprintf(recording->trouble, sizeof(recording->trouble), "%s", why);
        recording_stop(recording);
        return;
    }
    leave_room(recording);
    if ( recording->state == RECORDING_RUNNING && !recording->cannot_store )
        take_up_again(recording);
    if ( now >= recording->next_list )
    {
        recording->next_list = now + LIST_EVERY;
        follow_domains(recording);
        recording_put_payloads(recording);
    }
    if ( now >= recording->next_utc )
    {
        recording->next_utc = now + UTC_EVERY;
        recording_put_utc(recording);
    }
}

/* What is lost, if no other trouble is told yet. */
static void note_losses(struct recording *recording)
{
    const size_t size = sizeof(recording->trouble);
    const int error = recording->drain.spool.error;

    if ( recording->trouble[0] )
        return;
    if ( recording->drain.stopped )
        snprintf(recording->trouble, size,
                 "Xen stopped %zu rings, whose reader's index was impossible: "
                 "another program writes to them, or memory is bad",
                 recording->drain.stopped);
    else if ( recording->xen->keeper_gone )
        snprintf(recording->trouble, size, KEEPER_GONE);
    else if ( recording->xen->porter_gone && recording->guests &&
              guests_may_have_agents(recording->guests) )
        snprintf(recording->trouble, size, PORTER_GONE);
    else if ( error )
        snprintf(recording->trouble, size,
                 "samples cannot wait until guests' kernels are known, so "
                 "call stacks of these are missing: no memory can be locked "
                 "(%s); raise LimitMEMLOCK of xenoprofd, or dom0's memory",
                 strerror(error));
}

static void note_stillborn(struct recording *recording)
{
    if ( recording->trouble[0] || recording->xen->keeper_gone ||
         !recording->guests || !guests_cannot_begin(recording->guests) )
        return;
    snprintf(
        recording->trouble, sizeof(recording->trouble),
        "xenoprof-search ends before it begins, so guests' kernels have no "
        "names and no call stacks: dom0 is out of memory, or the libc "
        "makes a system call that the filter does not know (dom0's kernel "
        "log says which)");
    say_error("%s", recording->trouble);
}

static int work_and_note(struct recording *recording, struct failure *failure)
{
    enum xenoprof_status code;

    /* Samples stay in the rings until --stop tries to store them again. */
    if ( recording->cannot_store )
        return 0;
    code = recording_work(recording, false);
    note_losses(recording);
    note_stillborn(recording);
    if ( !code )
        return 0;
    recording_cannot_store(recording, code);
    return recording_fail(recording, code, failure);
}

/* How long Xen lets dom0 run says what clocks of processes mean. */
static void look_at_work(struct recording *recording)
{
    const struct xen *xen = recording->xen;
    uint64_t now = monotonic_now();

    if ( now < recording->next_work || !xen->maker || !xen->maker->work )
        return;
    recording->next_work = now + LOOK_AT_WORK;
    process_work_look(xen->maker->work, clock_read(CLOCK_PROCESS_CPUTIME_ID),
                      xen->calls->dom0_ran(xen->self));
}

int recording_poll(struct recording *recording, struct failure *failure)
{
    int status = 0;

    xenoprof_source_heartbeat(recording->source);
    look_at_work(recording);
    if ( recording->state == RECORDING_STARTING && recording->seek_end )
        return recording_seek(recording, failure);
    if ( !xenoprof_source_status(recording->source, &recording->status) )
    {
        recording_put_changes(recording);
        recording_put_expired(recording);
    }
    if ( recording->state == RECORDING_STOPPING )
        return recording_poll_stopping(recording, failure);
    if ( recording->state == RECORDING_STARTING )
        status = poll_starting(recording, failure);
    if ( status )
        return status;
    look_after(recording);
    if ( recording_is_open(recording) )
        status = work_and_note(recording, failure);
    if ( !status && recording->state == RECORDING_RUNNING &&
         recording->deadline && monotonic_now() >= recording->deadline )
        recording_stop(recording);
    return status;
}

bool recording_is_open(const struct recording *recording)
{
    return recording->state == RECORDING_STARTING ||
           recording->state == RECORDING_RUNNING ||
           recording->state == RECORDING_STOPPING;
}

bool recording_has_work(const struct recording *recording)
{
    /* The loop waits for the processes, if it can. */
    return (recording->state == RECORDING_RUNNING ||
            recording->state == RECORDING_STOPPING) &&
           !recording->cannot_store && !recording->xen->processes &&
           guests_is_searching(recording->guests);
}

int recording_dump(struct recording *recording, struct failure *failure)
{
    enum xenoprof_status code;

    if ( recording->state != RECORDING_RUNNING )
        return 0;
    code = recording_work(recording, true);
    return code ? recording_fail(recording, code, failure) : 0;
}

int recording_save(struct recording *recording, const char *name,
                   struct failure *failure)
{
    enum xenoprof_status code = XENOPROF_OK;

    if ( session_name_check(name, failure) )
        return failure->status;
    /* After a rotation all existing files are whole; the next block begins a
     * new one. */
    if ( recording->state == RECORDING_RUNNING )
    {
        code = recording_work(recording, true);
        if ( !code )
            code = xenoprof_writer_rotate(recording->writer);
    }
    if ( code )
        return recording_fail(recording, code, failure);
    return session_link(recording->options.session_dir, name, failure);
}

/* Starts with the same options: with copies, since recording_start() replaces
 * options_text and by. */
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

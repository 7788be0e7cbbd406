/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happens to a recording: events, in each of which the state may change.
 * recording.c has the table of states.
 *
 * Functions that return int return 0, or an exit status with its sentence in
 * failure.
 */
#ifndef XENOPROF_DAEMON_RECORDING_H
#define XENOPROF_DAEMON_RECORDING_H

#include "recording-state.h"

/* What is wrong when the keeper of parser processes has ended. */
#define KEEPER_GONE                                                            \
    "xenoprof-keeper has ended, so guests' kernels have no names and no call " \
    "stacks any more; restart xenoprofd"

/* The same of the porter, where guests have agents or guest roots. */
#define PORTER_GONE                                                            \
    "xenoprof-porter has ended, so code of guests' processes has no names by " \
    "agents and guest roots any more; restart xenoprofd"

/* handle and xen outlive the recording. */
void recording_init(struct recording *recording, const struct xen *xen,
                    struct xenoprof_handle *handle);
void recording_free(struct recording *recording);

/*
 * Reserves rings, creates the session, and starts sampling, unless guests'
 * kernels are to be looked for before; the state is then STARTING, and
 * recording_poll() brings it to RUNNING.  Takes the content of
 * options over; the caller may still free them.  A failure leaves Xen and the
 * sessions on disk as they were.
 */
int recording_start(struct recording *recording, struct start_options *options,
                    const char *by, struct failure *failure);

/* Ends a start that brought no sample: Xen and the disk are as before it, the
 * state is NONE. */
void recording_abandon_start(struct recording *recording);

/*
 * Goes on with the session of a daemon that died, if the module still has it
 * and it is `current` in session_dir.  Returns true if so; then the state is
 * RUNNING, or STOPPING if that daemon had been asked to stop.
 */
bool recording_adopt(struct recording *recording, const char *session_dir);

/* Does the work that is due while the recording is open.  A failure means,
 * while STARTING, that the caller is to abandon the start; while RUNNING, that
 * the recording is in trouble; while STOPPING, that the session could not be
 * stored whole: the state is STOPPED then. */
int recording_poll(struct recording *recording, struct failure *failure);

/* Returns true while rounds are to be made: STARTING, RUNNING, STOPPING. */
bool recording_is_open(const struct recording *recording);

/* Returns true if the next round should follow at once: a guest's kernel is
 * being looked for. */
bool recording_has_work(const struct recording *recording);

/* Domains came or went, or may have. */
static inline void recording_look_at_domains(struct recording *recording)
{
    recording->next_look = recording->next_list = 0;
}

/* ns that Xen does not sample while guests' kernels are looked for, at most. */
#define RECORDING_SEEK_PATIENCE 10000000000ull
/* ns that a dump or a save waits for guests' kernels, at most. */
#define RECORDING_PATIENCE 10000000000ull
/* ... and a stop, while nothing comes forth: neither samples that waited nor
 * work on a guest that has worked little since.  Then what waits stays without
 * callers.  dom0 may have a tenth of a slow processor, so much can go on in
 * that time without a sign. */
#define RECORDING_STOP_PATIENCE 30000000000ull
/* ... and whatever comes forth. */
#define RECORDING_STOP_MAX 600000000000ull

/* Returns true if samples wait for a guest's kernel, or names for their
 * places. */
bool recording_waits(const struct recording *recording);

/* Ends sampling.  The state is STOPPING then, and recording_poll() drains the
 * rings, closes the session and brings it to STOPPED; or NONE, if it was
 * STARTING.  Does nothing in other states. */
void recording_stop(struct recording *recording);

/* The same, done when it returns: samples that wait are stored as they are.
 * The state is STOPPED, also after a failure; or NONE, as above. */
int recording_stop_now(struct recording *recording, struct failure *failure);

/* Writes what the rings hold; it is on disk when this returns.  The state is
 * not STOPPING. */
int recording_dump(struct recording *recording, struct failure *failure);

/* Keeps a copy of the session as name.  The state is not STOPPING. */
int recording_save(struct recording *recording, const char *name,
                   struct failure *failure);

/* Drops data and counters; a running session begins anew. */
int recording_reset(struct recording *recording, struct failure *failure);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the events of a recording share: rounds of the drain, blocks on disk,
 * and failures.
 */
#ifndef XENOPROF_DAEMON_RECORDING_WORK_H
#define XENOPROF_DAEMON_RECORDING_WORK_H

#include "recording-state.h"

/* Prepares the drain; places are open.  Returns false if there is no memory. */
bool recording_open_drain(struct recording *recording);
/* Tells the writer how much of the session stays on disk. */
void recording_limit(struct xenoprof_writer *writer,
                     const struct start_options *options);
/* Lets go of everything but the module's and the disk's part. */
void recording_let_go(struct recording *recording);

/* Returns Xen's time now, or the last that is known if the module is gone;
 * while STOPPING, when sampling ended. */
uint64_t recording_time(struct recording *recording);

/* Sampling has ended just now: so does the session's time. */
void recording_end_time(struct recording *recording);

/* Reads the rings and writes blocks as they fill up.  now: until all that is
 * in the rings when it is called is on disk. */
enum xenoprof_status recording_work(struct recording *recording, bool now);
/* One round of STARTING while guests' kernels are looked for; Xen samples when
 * they are found, or it takes too long.  Returns 0 or an exit status. */
int recording_seek(struct recording *recording, struct failure *failure);
/* One round of STOPPING.  Returns 0, or the exit status of a stop that failed;
 * the state is STOPPED then. */
int recording_poll_stopping(struct recording *recording,
                            struct failure *failure);

/* Stops sampling since nothing can be stored, and says so in trouble. */
void recording_cannot_store(struct recording *recording,
                            enum xenoprof_status result);
/* Returns the exit status of a result of the library, with its sentence. */
int recording_fail(struct recording *recording, enum xenoprof_status result,
                   struct failure *failure);
/* Returns the exit status of a command that the module refused; the sentence
 * is the module's own.  error: a negative errno. */
int recording_refused(const struct xen *xen, const char *what, int error,
                      struct failure *failure);

#endif

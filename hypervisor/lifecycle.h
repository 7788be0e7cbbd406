/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The state of the profiler, and the commands that change it.
 *
 *             loaded    reserved   running    stopped
 *   reserve   reserved  busy       busy       busy
 *   start     none      running    busy       running
 *   stop      none      refused    stopped    stopped
 *   reset     loaded    loaded     busy       loaded
 *
 * A session that a tick has halted (lease, NMI slot) shows as `stopped` at
 * once; the next command does what a tick may not.  What may take long (stop
 * while samples are under way, what a halt left, reset with many rings) is done
 * in pieces: such a command is refused with ERROR_AGAIN, ask again.
 */
#ifndef XENOPROF_HYPERVISOR_LIFECYCLE_H
#define XENOPROF_HYPERVISOR_LIFECYCLE_H

#include "session.h"
#include "words.h"

/* Returns the state, as everybody sees it. */
enum xenoprof_state lifecycle_state(void);

/* The commands of these names.  Each returns 0, or what refuse() returned.
 * [command] */
int lifecycle_reserve(const struct words *words);
int lifecycle_start(void);
int lifecycle_stop(void);
int lifecycle_reset(void);

/* Before each command: does what ticks could not.  Returns 0, or what refuse()
 * returned: then the command is to be asked again. [command] */
int lifecycle_finish(void);
/* After each command: updates the status page. [command] */
void lifecycle_show(void);

/* Ends everything without waiting: every pCPU stands still. [command] */
void lifecycle_unload(void);

#endif

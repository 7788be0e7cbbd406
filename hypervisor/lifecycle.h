/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The commands that change what the profiler is doing, and its state.
 *
 *             loaded    reserved   running    stopped
 *   reserve   reserved  busy       busy       busy
 *   start     none      running    busy       running
 *   stop      none      refused    stopped    stopped
 *   reset     loaded    loaded     busy       loaded
 *
 * A session that a tick has halted (lease, NMI slot) is `stopped` at once for
 * all that look; the next command finishes what a tick may not do.
 */
#ifndef XENOPROF_HYPERVISOR_LIFECYCLE_H
#define XENOPROF_HYPERVISOR_LIFECYCLE_H

#include "session.h"
#include "words.h"

enum xenoprof_state lifecycle_state(void);

/* 0 or what refuse() returned. [command] */
int lifecycle_reserve(const struct words *words);
int lifecycle_start(void);
int lifecycle_stop(void);
int lifecycle_reset(void);

/* Before each command: what ticks could not finish. [command] */
void lifecycle_finish(void);
/* After each: show it. [command] */
void lifecycle_show(void);

/* End everything, without waiting for anybody. [command] */
void lifecycle_unload(void);

#endif

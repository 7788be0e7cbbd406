/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What records that were lost would have said, from /proc.  A process whose end
 * was lost would keep its room for ever; one whose exec was lost would have the
 * names of another program.
 */
#ifndef XENOPROF_AGENT_SPACE_SWEEP_H
#define XENOPROF_AGENT_SPACE_SWEEP_H

#include <dirent.h>

#include "space-history.h"

/* ns from one step to the next, and from one sweep to the next. */
#define SWEEP_STEP  100000000ull
#define SWEEP_PAUSE 10000000000ull

/* All zeroes: none was made. */
struct space_sweep {
    bool ends_only;  /* processes are read when they are asked for, not here */
    uint64_t missed; /* when the last one began */
    uint64_t began;  /* when that was; 0: there was none */
    uint64_t next;   /* when it goes on */
    unsigned int left; /* parts of the history that may have who is gone */
    DIR *proc;         /* processes are being read; NULL: they are not */
};

/* So much has been missed so far; all else was added.  Makes a step of a sweep
 * if it is time for one: those processes end that are not there any more, which
 * makes room; then all are read that are. */
void space_sweep_work(struct space_sweep *sweep, struct space_history *history,
                      uint64_t missed, uint64_t (*now)(void));

#endif

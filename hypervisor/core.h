/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the port calls in the core: the events, and the door.
 */
#ifndef XENOPROF_HYPERVISOR_CORE_H
#define XENOPROF_HYPERVISOR_CORE_H

#include <xenoprof/door.h>

#include "port.h"

/* Error numbers, the same as Xen's; core_command() returns them negated. */
enum error {
    ERROR_NONE = 0,
    ERROR_NOT_THERE = 2,      /* ENOENT */
    ERROR_AGAIN = 11,         /* EAGAIN: not done yet, repeat the command */
    ERROR_NO_MEMORY = 12,     /* ENOMEM */
    ERROR_BUSY = 16,          /* EBUSY */
    ERROR_EXISTS = 17,        /* EEXIST */
    ERROR_INVALID = 22,       /* EINVAL */
    ERROR_NO_SPACE = 28,      /* ENOSPC */
    ERROR_RANGE = 34,         /* ERANGE */
    ERROR_NOT_SUPPORTED = 95, /* EOPNOTSUPP */
};

/*
 * An NMI came to this pCPU.  Returns true if it was ours and nobody else must
 * see it, false if it must be passed on.  In NMI context: no lock, no fault, no
 * guest memory, bounded.
 */
bool core_nmi_taken(const struct port_frame *frame);

/* In a softirq before the scheduler: commits what this pCPU's NMIs queued. */
void core_before_schedule(void);

/* The timer that was armed for pcpu ran out; may be called on another pCPU. */
void core_tick(unsigned int pcpu);

/* Runs a line that was written to the door.  Returns 0, or a negative errno
 * (Xen's numbers), with the reason in the door's state.  One at a time. */
int core_command(const char *line);

/* Returns whether there is no session: no timer is armed, no NMI is sent or
 * awaited.  After a command. */
bool core_at_rest(void);

/* Fills in what the door's state leaf shows now. */
void core_door_state(struct xenoprof_door_state *ret);

/* Writes the status leaf's text.  Returns its length without the final
 * zero. */
unsigned int core_status_text(char *text, unsigned int size);

/*
 * The module is unloaded, whatever it was doing: everything is given back, and
 * pages that dom0 still maps are abandoned.  Returns the number of those.
 * Every pCPU stands still with an empty stack.
 */
unsigned int core_unload(void);

#endif

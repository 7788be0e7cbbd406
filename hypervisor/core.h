/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The core's face to its port: the events, and what the door shows.
 */
#ifndef XENOPROF_HYPERVISOR_CORE_H
#define XENOPROF_HYPERVISOR_CORE_H

#include <xenoprof/door.h>

#include "port.h"

/*
 * An NMI came to this pCPU.  True if it was ours and nobody else must see
 * it; false: whoever is next.  In NMI context: no lock, no fault, no guest
 * memory, bounded.
 */
bool core_nmi_taken(const struct port_frame *frame);

/* Softirq, before the scheduler: commit what this pCPU's NMIs queued. */
void core_before_schedule(void);

/* The timer armed for pcpu ran out.  Where it runs is the port's matter. */
void core_tick(unsigned int pcpu);

/* A line written to the door; 0 or a negative errno (Xen's numbers).  One at
 * a time.  The reason for a refusal is in the door's state. */
int core_command(const char *line);

/* What the door's state leaf shows now. */
void core_door_state(struct xenoprof_door_state *ret);

/* The status leaf's text; returns its length without the final zero. */
unsigned int core_status_text(char *text, unsigned int size);

/*
 * The module goes, now, whatever it was doing: everything is given back,
 * pages that dom0 still maps are abandoned.  Every pCPU stands still with an
 * empty stack.  Returns the number of abandoned pages.
 */
unsigned int core_unload(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the payload's hooks and its door call in this port's other files.
 */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_PAYLOAD_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_PAYLOAD_H

#include "xen.h"

/* facts-check.c ---------------------------------------------------------- */

/*
 * Checks the facts against the running hypervisor once more, and reads only
 * addresses that are proved to be mapped.  Returns NULL if all are right, or
 * the name of the first wrong one.  Every pCPU stands still, in the idle vCPU.
 */
const char *facts_check(void);

/* The part of that which is about the host, whatever the facts are. */
const char *host_check(void);

/* Returns what can be done about what either returned, from ": " on, or "":
 * where this host is at fault, and not its facts. */
const char *facts_remedy(const char *wrong);

/* payload-door.c --------------------------------------------------------- */

/* Adds /xenoprof to hypfs.  Returns 0, or a negative errno.  Every pCPU stands
 * still. */
int door_open(void);

/* Removes it, if it is there. */
void door_close(void);

/* payload-memory.c ------------------------------------------------------- */

/* The module is unloaded, and every pCPU stands still until that is over: from
 * now on few shared pages are freed, and nothing if this is a debug build of
 * Xen. */
#define MEMORY_UNLOAD_PAGES (XENOPROF_RING_CEILING / XENOPROF_PAGE_SIZE + 64)
void memory_unloads(void);

/* Returns whether one more shared page may be looked at, and freed. */
bool memory_may_free_page(void);

/* Returns whether that is so. */
bool memory_is_held(void);

/* Returns how many pages were not freed, but for those that dom0 may map. */
unsigned long memory_held(void);

/* Returns Xen's flags for an allocation near the pCPU, or PORT_ANYWHERE. */
unsigned int memory_near(unsigned int pcpu);

/* interrupts.c ----------------------------------------------------------- */

/* Turn this pCPU's interrupts off, which are on, and on again. */
void interrupts_off(void);
void interrupts_on(void);

/* events.c --------------------------------------------------------------- */

/* Allocates a timer for each pCPU, before the first command.  Returns false
 * without memory. */
bool events_prepare(void);

/* Removes all timers, and our softirq handler: there is no session. */
void events_forget(void);

/* registers.c ------------------------------------------------------------ */

/* Unmaps what port_pmi_open() mapped: there is no session. */
void registers_forget(void);

/* nmi.c ------------------------------------------------------------------ */

/* Allocates what sending needs, before the first command.  Returns false
 * without memory. */
bool nmi_prepare(void);

/* Frees it: there is no session. */
void nmi_forget(void);

/* Sends an NMI to each other pCPU that is online.  Returns how many those are.
 * Every pCPU stands still. */
unsigned int nmi_send_to_others(void);

/* slots/nmi-slot.c ------------------------------------------------------- */

/* The module is unloaded: clears the slot if it is ours, and the copy that Xen
 * keeps while a livepatch is applied or reverted. */
void nmi_unload(void);

#endif

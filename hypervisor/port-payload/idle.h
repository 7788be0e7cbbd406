/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's idle routines.
 */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_IDLE_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_IDLE_H

#include "xen.h"

/* Once, before the others. */
void idle_init(void);

/* Returns whether an address of Xen's code is in one. [nmi] */
bool idle_has(uintptr_t ip);

/*
 * For an NMI, at its end: has an idle routine that was about to sleep look
 * again instead.
 *
 * The last two instructions before sleep are STI and HLT, and no interrupt may
 * come between them: one that did, as the timer's, would leave its softirq to
 * an idle routine that then sleeps on it, until another interrupt comes, which
 * need not be soon, since the timers wait for that softirq.  An NMI may come
 * between them (on AMD's processors and emulators; Intel's may hold it back),
 * and after it interrupts may, too.  So HLT is stepped over, as if the NMI had
 * ended it.
 *
 * Not where Xen has shadow stacks (cet=shstk), which hold the address, too.
 */
void idle_stay_awake(struct port_frame *frame);

#endif

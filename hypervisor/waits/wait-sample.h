/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of vCPUs that wait for a pCPU, or poll an event channel: where they
 * were kept from going on, such as with a lock that others then wait for.
 *
 * A round goes over all vCPUs of the host, a stretch at each tick.  Of those in
 * a stretch that wait a tick samples one, so that it does not take long, and
 * each as likely as any other.  The sample stands for what this vCPU waited, by
 * Xen's account, since its last sample: so samples add up to what was waited,
 * though ticks do not see all of it.  They see no wait that begins and ends
 * while the tick's own pCPU does something else, such as choosing the next
 * vCPU, and one that ends while it is read is no sample.  The sample goes to
 * the ring of the pCPU where the tick runs: the vCPU may get a pCPU meanwhile,
 * which then writes to the vCPU's own ring.
 *
 * These samples are nobody's pCPU time.  They are in no sum of others, have
 * counters of their own, and leave half of each ring to the others.
 */
#ifndef XENOPROF_HYPERVISOR_WAITS_WAIT_SAMPLE_H
#define XENOPROF_HYPERVISOR_WAITS_WAIT_SAMPLE_H

#include "hypervisor/session.h"

#define WAIT_SAMPLE_LOOKS  16u   /* vCPUs in a tick */
#define WAIT_SAMPLE_WINDOW 4096u /* bytes of a stack, at most */

/* Begins the first round. [command] */
void wait_sample_start(struct session *session, uint64_t now);

/* Looks at the next vCPUs, and takes a sample of one that waits: for a session
 * that has such samples.  Does nothing if another pCPU is at it.  Not in a
 * second half. [soft] */
void wait_sample_look(struct session *session, uint64_t now);

#endif

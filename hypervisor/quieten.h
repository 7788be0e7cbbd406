/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The end of sampling: NMIs that are under way come or are written off, Xen
 * gets its NMI callback back, queued samples get to their rings, and Xen gets
 * its softirq handler back.
 *
 * A command does this in pieces, since it holds hypfs' lock and its pCPU does
 * not schedule meanwhile.  When a tick has ended the session, one tick does all
 * of it that a tick may: nobody may ever write another command.
 */
#ifndef XENOPROF_HYPERVISOR_QUIETEN_H
#define XENOPROF_HYPERVISOR_QUIETEN_H

#include "session.h"

#define QUIETEN_PIECE 2000000ul /* ns that a piece may wait */

/* To be called at start. [command] */
void quieten_reset(struct session *session);

/* Does a piece of what is left; the session must not be running.  Returns true
 * when all is done: every sample is in its ring or counted as lost, nothing of
 * Xen's is ours. [command] */
bool quieten(struct session *session);

/* For unloading, when every other pCPU stands still and none will pass the
 * scheduler before the session is gone: what is queued is counted as lost, and
 * nothing of Xen's is ours. */
void quieten_at_once(struct session *session);

/* In a tick of this pCPU that finds that the session has been halted: does what
 * can be done now, and has another tick of this pCPU do the rest. [soft] */
void quieten_in_tick(struct session *session, struct pcpu *pcpu, uint64_t now);

#endif

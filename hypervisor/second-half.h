/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The second half of a sample: from the pCPU's queue into a ring.
 * core_before_schedule() is in the same file.
 */
#ifndef XENOPROF_HYPERVISOR_SECOND_HALF_H
#define XENOPROF_HYPERVISOR_SECOND_HALF_H

#include "session.h"

/* Commits what is queued on this pCPU.  To be called only where no second half
 * can be under way: in a softirq of that pCPU, or in a command on it. [soft] */
void second_half_commit(unsigned int here);

#endif

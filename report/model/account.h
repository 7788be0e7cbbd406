/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose time it was.
 *
 * Xen accounts to the idle vCPU of each pCPU the time that it ran there.  The
 * rest of the time between the first and the last look at that account is
 * work, and is shared out to the samples of that pCPU that were not in the
 * idle vCPU, by the ticks that they stand for, and those of samples that their
 * vCPU lost: a ring that loses more must not get less time.  Of the idle vCPU's
 * own time Xen's work in it (softirqs, tasklets) takes what its samples stand
 * for, and what is left is idle.  So the times of all cells of a pCPU add up to
 * the time that passed there, to the nanosecond.
 *
 * Work on a pCPU where no sample fell goes to `other`, and is counted in
 * loaded->unsampled.  Where Xen's account is not in the session, a sample
 * has the time that it stands for, and nothing is known of idle time.
 *
 * The time of a long session may be shared out piece by piece, which
 * account_settle() does: then each piece adds up.  Work of a piece in which no
 * sample fell is shared out with the next one's.
 */
#ifndef XENOPROF_REPORT_MODEL_ACCOUNT_H
#define XENOPROF_REPORT_MODEL_ACCOUNT_H

#include "loaded.h"

/* Gives the cells of what has run so far on pCPUs whose account is known their
 * share of the time so far, for good: they are settled, and no sample may be
 * counted in them any more, unless it is put into loaded->unsettled, too.  Such
 * samples get their share as cells do, whether or not an account is known, and
 * are gone; once there may be some, cells that are not settled wait for
 * account_time().  Returns false if there is no memory. */
bool account_settle(struct loaded *loaded);

/* Fill in the time of each cell; false if there is no memory.  Of samples that
 * are not of time it is what they stand for, and nothing is idle. */
bool account_time(struct loaded *loaded);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells that tell pCPUs apart, and Xen's account of these.
 *
 * What a vCPU did in a second is known, and what a pCPU did, but only samples
 * say which vCPU did how much on which pCPU.  So cells get their time by
 * vCPUs, and then the times of those that differ in pCPUs only are changed, in
 * turns, so that each pCPU has what it worked, and all of them together still
 * what they had (iterative proportional fitting).  Where a vCPU was met on
 * fewer pCPUs than it ran on, no factors do that: then cells without samples
 * have what their pCPUs worked, too.
 */
#ifndef XENOPROF_REPORT_TIME_PCPU_WORK_H
#define XENOPROF_REPORT_TIME_PCPU_WORK_H

#include "report/model/loaded.h"

/* Changes the time of cells (exact) so; without an account of pCPUs it does
 * nothing. */
void pcpu_work_fit(struct loaded *loaded);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes work.  Where dom0's vCPUs have to wait for pCPUs its clocks
 * may count that as work of whoever ran: of 30 s that they say three may be
 * true.  All of ours together cannot have worked longer than Xen let dom0 run,
 * so limits take what the clocks say in that proportion.
 */
#ifndef XENOPROF_CAGE_PROCESS_WORK_H
#define XENOPROF_CAGE_PROCESS_WORK_H

#include <stdint.h>

/* Zeros: nothing was looked at yet, and clocks are believed. */
struct process_work {
    uint64_t spent;              /* ns, by the clocks of those that are made */
    uint64_t counted, ran;       /* as last looked at */
    uint64_t lately, lately_ran; /* half of what is older, and so on */
    uint32_t surplus;            /* of 1024 ns so many are none; 0 to 1023 */
};

/* Adds ns of a process's clock.  Returns how many of them can be true. */
uint64_t process_work_add(struct process_work *work, uint64_t ns);

/* From time to time: own is what this process worked since its beginning, by
 * its clock, and ran how long Xen has let dom0 run, 0 if that is not known. */
void process_work_look(struct process_work *work, uint64_t own, uint64_t ran);

#endif

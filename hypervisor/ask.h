/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The NMI that a pCPU was asked to take and has not answered.
 *
 * At most one is outstanding: a second NMI sent while the first is on its way
 * could arrive unclaimed, and an NMI that nobody claims reaches dom0.  An NMI
 * that does not come for 100 ms is written off; if it comes after all, within a
 * second, it is claimed once, without a sample.  After that second an NMI that
 * nobody asked for is somebody else's again.  What is asked is in one word, so
 * that asking, answering and writing off exclude each other without a lock.
 */
#ifndef XENOPROF_HYPERVISOR_ASK_H
#define XENOPROF_HYPERVISOR_ASK_H

#include "port.h"

#define ASK_PATIENCE 100000000ul  /* ns */
#define ASK_LATE_FOR 1000000000ul /* ns */

/* An idle pCPU is asked at every eighth look only; its sample counts for all
 * eight. */
#define ASK_IDLE_TURNS 8u

struct ask {
    /* bit 0: an NMI that was written off may still come; bit 1: the pCPU was
     * idle when asked; the rest: when it was asked, 0 if nothing is
     * outstanding */
    uint64_t word;
    uint64_t written_off; /* when the last one was; counts while bit 0 is set */
};

enum ask_result {
    ASK_SEND,    /* send an NMI */
    ASK_RESEND,  /* the last one was just written off: count it, send another */
    ASK_WAITING, /* the last one is still outstanding: do not send */
};

/* Asks at time now: says what the tick is to do. [soft] */
enum ask_result ask_send(struct ask *ask, uint64_t now, bool idle);

enum ask_answer {
    ASK_NONE, /* not asked for: the NMI is not ours */
    ASK_BUSY, /* asked for */
    ASK_IDLE, /* asked for while the pCPU was idle */
    ASK_LATE, /* written off before it came: claim it, take no sample */
};

/* At time now, when nothing is asked: an NMI that was written off a second ago
 * will not come any more. [soft] */
void ask_expire(struct ask *ask, uint64_t now);

/* Answers with the NMI that came. [nmi] */
enum ask_answer ask_answer(struct ask *ask);

/* Returns whether an NMI is outstanding. */
bool ask_outstanding(const struct ask *ask);
/* Writes off at time now what is outstanding.  Returns true if something was.
 * [soft] */
bool ask_write_off(struct ask *ask, uint64_t now);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * NMIs asked for and not yet answered, of one pCPU.
 *
 * At most one is outstanding, so that two can never melt into one and leave
 * an NMI that nobody claims.  One that is not answered for 100 ms is written
 * off; should it come after all, it is claimed, once, without a sample.
 * All in one word, so that asking, answering and writing off exclude each
 * other without a lock.
 */
#ifndef XENOPROF_HYPERVISOR_ASK_H
#define XENOPROF_HYPERVISOR_ASK_H

#include "port.h"

#define ASK_PATIENCE 100000000ul /* ns */

/* An idle pCPU is asked at every eighth look only; its sample counts for all
 * eight. */
#define ASK_IDLE_TURNS 8u

struct ask {
    /* bit 0: one that was written off may come; bit 1: the pCPU was idle
     * when asked; the rest: when it was asked, 0 if none is outstanding */
    uint64_t word;
};

enum ask_result {
    ASK_SEND,    /* send one */
    ASK_RESEND,  /* the last one was written off: count it; send one */
    ASK_WAITING, /* the last one is still outstanding: send none */
};

/* A tick wants to send at time now. [soft] */
enum ask_result ask_send(struct ask *ask, uint64_t now, bool idle);

enum ask_answer {
    ASK_NONE, /* nothing was asked for: not ours */
    ASK_BUSY, /* asked for */
    ASK_IDLE, /* asked for, the pCPU was idle then */
    ASK_LATE, /* written off long ago: claim it, take no sample */
};

/* An NMI came. [nmi] */
enum ask_answer ask_answer(struct ask *ask);

bool ask_outstanding(const struct ask *ask);
/* Write off what is outstanding; true if something was. [command] */
bool ask_write_off(struct ask *ask);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first half of a sample: what only the interrupt can see goes into the
 * pCPU's queue.  core_nmi_taken() is in the same file.
 */
#ifndef XENOPROF_HYPERVISOR_FIRST_HALF_H
#define XENOPROF_HYPERVISOR_FIRST_HALF_H

#include "session.h"

/*
 * Bytes of its stack that an NMI must find free to take a sample.  The NMI's
 * own stack has more.  But on AMD, while an HVM vCPU is current, and on any
 * processor with FRED, Xen has no stack for NMIs, and they run on the main
 * stack, at any depth; an overflow there resets the host without a word, or is
 * a double fault with FRED.
 *
 * We take at most half of this (tests/unit/hypervisor/nmi-calls.sh measures 624
 * bytes by events, 432 else, and holds the half); the rest is for a machine
 * check on top.
 */
#define FIRST_HALF_ROOM 1536u

/*
 * Queues a sample of what this tick interrupted, in place of an NMI's.  An NMI
 * that another pCPU asked for may come meanwhile, where that one has just gone:
 * it is claimed, and counts as missed. [soft]
 */
void first_half_ticked(struct session *session, struct pcpu *pcpu);

/* What is known about an NMI that came. */
struct nmi_signs {
    bool asked;    /* an NMI of ours was outstanding */
    bool watchdog; /* Xen's NMI watchdog runs */
    bool due;      /* the watchdog's counter says that it ticked */
    bool followed; /* an NMI was both asked and due, and no softirq since */
};

enum nmi_claim {
    NMI_PASS,      /* not ours: others must see it */
    NMI_PASS_BOTH, /* ours and the watchdog's: a second one may follow */
    NMI_CLAIM,     /* ours alone */
    NMI_SWALLOW,   /* the one that followed */
};

/* Decides whose an NMI was; a pure function. [nmi] */
enum nmi_claim first_half_claim(struct nmi_signs nmi);

#endif

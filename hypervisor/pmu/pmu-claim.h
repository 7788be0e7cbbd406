/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose an NMI was while our counters count.
 */
#ifndef XENOPROF_HYPERVISOR_PMU_CLAIM_H
#define XENOPROF_HYPERVISOR_PMU_CLAIM_H

#include "hypervisor/port.h"

/* What is known about an NMI that came. */
struct pmi_signs {
    uint32_t overflowed; /* of our counters: how many; 2 for more */
    uint32_t armed;      /* of our counters: how many count */
    bool status;         /* the processor says which overflowed */
    bool due;            /* the watchdog's counter says that it ticked */
    bool asked;          /* we sent an NMI to this pCPU */
    bool may_follow;     /* one without a cause may still come */
};

enum pmi_claim {
    PMI_PASS,      /* not ours: others must see it */
    PMI_PASS_BOTH, /* ours and the watchdog's */
    PMI_CLAIM,     /* ours alone */
    PMI_SWALLOW,   /* the one that may follow */
};

/* Whether an NMI without a cause may follow: its cause was found already. */
enum pmi_follows {
    PMI_FOLLOWS_NOT,
    PMI_FOLLOWS_ONE_LESS, /* than before */
    PMI_FOLLOWS_SOON,     /* within 1 ms that the pCPU works */
    PMI_FOLLOWS_LATE,     /* within 100 ms */
};

struct pmi_verdict {
    enum pmi_claim claim;
    enum pmi_follows follows;
};

/* Decides; a pure function. [nmi] */
struct pmi_verdict pmi_claim(const struct pmi_signs *pmi);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two decisions about the NMI callback, as pure functions: may we use NMIs
 * at all, and whose was the one that just came.
 */
#ifndef XENOPROF_HYPERVISOR_SAMPLER_H
#define XENOPROF_HYPERVISOR_SAMPLER_H

#include "port.h"

enum sampler_refusal {
    SAMPLER_FINE,
    SAMPLER_SLOT_TAKEN, /* nmi was insisted on, the callback is taken */
};

/*
 * Which sampler a session gets.  Without insisting, a taken callback or a
 * running watchdog make it the timer.
 */
enum sampler_refusal sampler_choose(enum xenoprof_sampler asked, bool insist,
                                    enum port_slot slot, bool watchdog,
                                    enum xenoprof_sampler *ret);

struct sampler_nmi {
    bool asked;    /* one of ours was outstanding */
    bool watchdog; /* Xen's NMI watchdog runs */
    bool due;      /* ... and its counter says that it ticked */
    bool followed; /* less than 1 ms ago both were true of one NMI */
};

enum sampler_claim {
    SAMPLER_PASS,      /* whoever is next must see it */
    SAMPLER_PASS_BOTH, /* the same; it was ours as well: one may follow */
    SAMPLER_CLAIM,     /* ours alone */
    SAMPLER_SWALLOW,   /* the one that followed */
};

/* Whose an NMI was. [nmi] */
enum sampler_claim sampler_claim(struct sampler_nmi nmi);

#endif

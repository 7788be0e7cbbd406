/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whose time a sample says something of. */
#ifndef XENOPROF_REPORT_TIME_OWNER_OF_H
#define XENOPROF_REPORT_TIME_OWNER_OF_H

#include "slots.h"

#include <libxenoprof.h>

/* What all samples with the same entry of a session's who[] have in common. */
struct owner_of {
    uint32_t owner;  /* of their time; 0: nobody, or each sample says who */
    uint32_t domain; /* slots_domain(): of the owner; 0: nobody */
    double units;    /* ns that each stands for; 0: it is of nobody's time */
};

/* Returns which of its domain's vCPUs, or which pCPU, the owner is.  The idle
 * vCPU of a pCPU has its number. */
static inline uint32_t owner_number(const struct slots *slots,
                                    const struct xenoprof_who *who)
{
    return slots->by_pcpu ? who->pcpu : who->vcpu;
}

/* Looks up what samples with this who have in common. */
static inline void owner_of_who(struct slots *slots,
                                const struct xenoprof_who *who,
                                struct owner_of *ret)
{
    const bool counts = who->type == XENOPROF_TYPE_TIME &&
                        who->mode != XENOPROF_MODE_IDLE;
    const bool work = slots->by_pcpu && who->domain != SLOTS_IDLE;

    ret->units = counts ? (double)who->count : 0;
    ret->domain = slots_domain(slots, work ? SLOTS_WORK : who->domain);
    ret->owner = ret->domain
                     ? slots_known(slots, ret->domain, owner_number(slots, who))
                     : 0;
}

/* Returns the owner of a sample, or 0 if there is none. */
static inline uint32_t owner_of_sample(const struct slots *slots,
                                       const struct owner_of *of,
                                       const struct xenoprof_samples *samples,
                                       size_t sample)
{
    const uint16_t *numbers = slots->by_pcpu ? samples->pcpus : samples->vcpus;

    return numbers ? slots_known(slots, of->domain, numbers[sample])
                   : of->owner;
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whose time it was: Xen's account of time, by second, and how many samples
 * there are to say where in it.
 *
 * An owner of time is a vCPU; or, where a session has no account of vCPUs, all
 * that worked on one pCPU.  The idle vCPU of each pCPU is an owner of its own.
 * An owner's time is cut into slots, at Xen's own seconds.  In each slot
 *
 *   - the time that the owner ran by Xen's account is shared out among its
 *     samples there, by the ticks that they stand for;
 *   - where the account does not cover the slot, samples stand for their ticks,
 *     and those that their ring lost at the same time (scaled to what the pCPUs
 *     worked, where only that is known);
 *   - a slot without a sample gives its time to the nearest slot of the same
 *     owner that has one, the earlier one of two: it is borrowed;
 *   - in the idle vCPU, Xen's work is what its samples stand for, and the rest
 *     of the time is idle.
 *
 * So the time of an owner is exact for any span of time, whatever was lost, and
 * samples only say where in it.  What is added comes in any order; then
 * slots_settle() says what a tick is worth.
 */
#ifndef XENOPROF_REPORT_TIME_SLOTS_H
#define XENOPROF_REPORT_TIME_SLOTS_H

#include "base/table.h"
#include "base/vector.h"
#include "report/model/time-range.h"
#include "time-rows.h"

#include <stdbool.h>
#include <stdint.h>

/* More slots than this become wider: 1, 2, 10, 20, 100, ... seconds. */
#define SLOTS_MOST (1u << 19)

/* Not numbers of domains: owners that are not vCPUs. */
#define SLOTS_IDLE 32767u /* vCPU: the pCPU's number; Xen's own number for it */
#define SLOTS_WORK 65537u /* the same */

struct slot {
    double ticks;     /* ns that its samples stand for */
    uint64_t running; /* ns by Xen's account; settled: all that it has */
    double known;     /* ns that the account is of */
    float read, lost; /* samples of its ring, about */
    double rate;      /* settled: ns that a tick of a sample is worth */
    double unseen;    /* ticks of samples that are still to be seen */
};

struct owner_key {
    uint8_t uuid[16];
    uint32_t domain; /* number, or SLOTS_* */
    uint32_t vcpu;
};

struct owner {
    struct owner_key key;
    struct {
        VECTOR(struct slot);
    } slots; /* from slot first on */
    uint64_t first;
    uint64_t covered, ran; /* ns that the account is of, and of them it ran */
    /* Settled, in ns: */
    uint64_t time;      /* all of it */
    uint64_t estimated; /* of it: no account, but samples */
    uint64_t borrowed;  /* of it: no sample when it ran */
    uint64_t unsampled; /* all of it, if there is no sample at all */
};

/* A domain as it is now, with the owners that its vCPUs are. */
struct owners_of {
    struct {
        uint8_t uuid[16];
        uint32_t domain;
        uint32_t zero;
    } key;
    struct {
        VECTOR(uint32_t);
    } owners; /* by vCPU: index + 1 */
};

struct slots {
    bool by_pcpu;         /* work is a pCPU's: there is no account of vCPUs */
    bool accounted;       /* Xen's account of a pCPU is there */
    struct table owners;  /* struct owner */
    struct table domains; /* struct owners_of */
    uint32_t *domain_now; /* by number: index + 1 */
    uint64_t origin;      /* second at which slot 0 begins; it has all that is
                             earlier.  To be set before anything is added */
    uint64_t width;       /* seconds of a slot */
    size_t count;         /* of all owners */
    size_t most;          /* instead of SLOTS_MOST; 0: that */
    bool settled;
    uint64_t gap;           /* ns of work of which nothing else is known */
    struct slot none;       /* of samples for which there is no slot */
    struct time_rows *rows; /* to be filled in; or NULL: nobody wants them */
};

/* slots_free() in any case. */
void slots_init(struct slots *slots, bool by_pcpu);
void slots_free(struct slots *slots);
/* Forgets what was added, and keeps owners. */
void slots_clear(struct slots *slots);
/* Forgets whose numbers are: the session is read from its beginning again. */
void slots_rewind(struct slots *slots);

/* The number is this domain's from now on. */
void slots_name(struct slots *slots, uint16_t number, const uint8_t uuid[16]);
/* Returns index + 1 into domains: what has the number now, or is SLOTS_*. */
uint32_t slots_domain(struct slots *slots, uint32_t number);
/* Returns index + 1 of an owner of these. */
uint32_t slots_owner(struct slots *slots, uint32_t domain, uint32_t vcpu);
/* The same by key. */
uint32_t slots_put(struct slots *slots, const struct owner_key *key);

static inline struct owner *slots_at(const struct slots *slots, uint32_t owner)
{
    return table_at(&slots->owners, owner - 1);
}

/* Returns the owner if its domain has one of this number, or 0. */
static inline uint32_t slots_known(const struct slots *slots, uint32_t domain,
                                   uint32_t vcpu)
{
    const struct owners_of *of = table_at(&slots->domains, domain - 1);

    return vcpu < of->owners.count ? of->owners.items[vcpu] : 0;
}

/* Returns the number of the slot of a second. */
static inline uint64_t slots_of_second(const struct slots *slots,
                                       uint64_t second)
{
    return second > slots->origin ? (second - slots->origin) / slots->width : 0;
}

/* Samples of this second stand for so many ticks (ns). */
void slots_add_ticks(struct slots *slots, uint32_t owner, uint64_t second,
                     double ticks);
/* The owner ran for running ns between two of Xen's times; spread evenly. */
void slots_add_running(struct slots *slots, uint32_t owner, uint64_t from,
                       uint64_t to, uint64_t running);
/* On a pCPU nothing ran for idle ns between them. */
void slots_add_pcpu(struct slots *slots, uint32_t pcpu, uint64_t from,
                    uint64_t to, uint64_t idle);
/* Between them so many samples of its ring were read, and so many lost. */
void slots_add_ring(struct slots *slots, uint32_t owner, uint64_t from,
                    uint64_t to, uint64_t read, uint64_t lost);

/* Nothing is added any more; the session, or what is wanted of it, has this
 * span.  Sets what each owner has, and what its ticks are worth. */
void slots_settle(struct slots *slots, const struct time_span *span);

/* Returns the slot that samples of an owner are in. */
static inline struct slot *slots_slot(struct slots *slots, uint32_t owner,
                                      uint64_t slot)
{
    const struct owner *at;

    if ( !owner )
        return &slots->none;
    at = slots_at(slots, owner);
    return slot - at->first < at->slots.count
               ? &at->slots.items[slot - at->first]
               : &slots->none;
}

/* Returns ns that a tick of a sample is worth; 1 where nothing was added. */
static inline double slots_rate(struct slots *slots, uint32_t owner,
                                uint64_t slot)
{
    return slots_slot(slots, owner, slot)->rate;
}

/* Whether the samples that were seen since, and taken off unseen, are those
 * that were added. */
bool slots_all_seen(const struct slots *slots);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many samples of each ring of a session were made, read and lost; rings
 * that are gone included.
 */
#ifndef XENOPROF_DAEMON_ACCOUNTS_H
#define XENOPROF_DAEMON_ACCOUNTS_H

#include "base/table.h"
#include "base/vector.h"
#include "libxenoprof/ring-sums.h"
#include "sample-stack.h"
#include "spool.h"

/* Rings whose memory is asked for ahead of the one that is looked at. */
#define RINGS_EXPECTED 8u

struct account {
    struct xenoprof_ring_info info; /* as last seen */
    struct stack_last *last; /* guest's part of its last sample's stack; not
                                here, for it is large and seldom looked at */
    uint64_t read;           /* samples in whole blocks on disk */
    uint64_t pending;        /* samples in the block that is being gathered */
    uint64_t dropped;        /* samples that could not be stored */
    struct spool_fifo fifo;  /* samples that wait, */
    uint32_t of_waiters;     /* ... so many of them of its vCPU as that waited:
                               they were in another ring */
    uint64_t mark;           /* position that drain_mark() noted */
    bool live;               /* Xen still has the ring */
    bool broken;             /* holds nonsense, is not read any more */
    bool changed;            /* it may not be what the last block says */
};

struct account_totals {
    uint64_t rings, made, read, lost;
    uint64_t lost_by_cause[XENOPROF_CAUSES];
};

struct accounts {
    VECTOR(struct account); /* rings that may still have samples */
    struct id_table ids;    /* index + 1 of each, by ring and generation */
    struct table ended;     /* sums of rings that have ended */
    struct {
        VECTOR(uint32_t);
    } places;              /* by the source's index: where its ring's was */
    struct id_table vcpus; /* index + 1 of each, by domain and vCPU */
};

void accounts_init(struct accounts *accounts);
void accounts_free(struct accounts *accounts);

/* Returns the account of this ring and generation, a new one if there is none
 * yet, or NULL if there is no memory.  Good until the next call. */
struct account *accounts_get(struct accounts *accounts,
                             const struct xenoprof_ring_info *info);

/* From now on those are live whose rings the source has.  Returns false if
 * there is no memory. */
bool accounts_list(struct accounts *accounts, struct xenoprof_source *source);

/* Brings those of all rings up to date that have changed since their account
 * was: what a ring lost is known then, and not before.  Returns false if there
 * is no memory. */
bool accounts_update(struct accounts *accounts, struct xenoprof_source *source);

/* The same as accounts_get() for the source's index-th ring, brought up to
 * date. */
struct account *accounts_now(struct accounts *accounts,
                             struct xenoprof_source *source, size_t index);

/* Returns the account of the open ring of this vCPU, or NULL if it has none. */
struct account *accounts_of_vcpu(const struct accounts *accounts,
                                 uint16_t domain, uint16_t vcpu);

/* Returns how many of the ring's own samples wait. */
static inline uint32_t account_spooled(const struct account *account)
{
    return account->fifo.count - account->of_waiters;
}

/* Sums up the accounts of rings that Xen has no more and whose samples are all
 * in blocks, as writer does too: they are in no list from then on. */
void accounts_retire(struct accounts *accounts, struct xenoprof_writer *writer);
/* Takes the sums of a session that a daemon left.  Returns false if there is no
 * memory. */
bool accounts_resume(struct accounts *accounts,
                     const struct xenoprof_writer *writer);

/* Returns the samples that Xen committed and that are neither in a block, nor
 * in a ring, nor waiting: those that could not be stored, and all that a broken
 * ring held. */
uint64_t account_lost_daemon(const struct account *account);
/* Returns the lost samples of all causes. */
uint64_t account_lost(const struct account *account);

/* Of all rings of the session, those that have ended included. */
void accounts_total(const struct accounts *accounts,
                    struct account_totals *ret);

#endif

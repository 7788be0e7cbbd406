/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many samples of each ring of a session were made, read and lost; rings
 * that are gone included.
 */
#ifndef XENOPROF_DAEMON_ACCOUNTS_H
#define XENOPROF_DAEMON_ACCOUNTS_H

#include "base/vector.h"
#include "sample-stack.h"

struct account {
    struct xenoprof_ring_info info; /* as last seen */
    uint64_t read;                  /* samples in whole blocks on disk */
    uint64_t pending;       /* samples in the block that is being gathered */
    uint64_t dropped;       /* samples that could not be stored */
    struct stack_last last; /* guest's part of its last sample's stack */
    uint64_t waits_since;   /* monotonic ns: since when samples wait for their
                               guest's kernel; 0: they do not */
    uint64_t mark;          /* position that drain_mark() noted */
    bool waits;             /* its samples wait in this round */
    bool live;              /* Xen still has the ring */
    bool broken;            /* holds nonsense, is not read any more */
};

struct accounts {
    VECTOR(struct account);
};

struct account_totals {
    uint64_t made, read, lost;
    uint64_t lost_by_cause[XENOPROF_CAUSES];
};

void accounts_free(struct accounts *accounts);

/* Returns the account of this ring and generation, a new one if there is none
 * yet, or NULL if there is no memory.  hint is the index to look at first.
 * Good until the next call. */
struct account *accounts_get(struct accounts *accounts, size_t hint,
                             const struct xenoprof_ring_info *info);

/* The same for the source's index-th ring, brought up to date. */
struct account *accounts_now(struct accounts *accounts,
                             struct xenoprof_source *source, size_t index);

/* Returns the samples that Xen committed and that are neither in a block nor in
 * a ring: those that could not be stored, and all that a broken ring held. */
uint64_t account_lost_daemon(const struct account *account);
/* Returns the lost samples of all causes. */
uint64_t account_lost(const struct account *account);

void accounts_total(const struct accounts *accounts,
                    struct account_totals *ret);

#endif

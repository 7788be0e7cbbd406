/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was made, read and lost of each ring of a session, rings that are gone
 * included.
 */
#ifndef XENOPROF_DAEMON_ACCOUNTS_H
#define XENOPROF_DAEMON_ACCOUNTS_H

#include "sample-stack.h"

struct account {
    struct xenoprof_ring_info info; /* the last that was seen */
    uint64_t read;                  /* samples in whole blocks on disk */
    uint64_t pending;       /* samples in the block that is being gathered */
    uint64_t dropped;       /* samples that could not be stored */
    struct stack_last last; /* guest's part of its last sample's stack */
    uint64_t waits_since;   /* monotonic ns: for its guest's kernel to be found;
                               0: it need not */
    uint64_t mark;          /* position that drain_mark() noted */
    bool waits;             /* it does wait, and not too long yet */
    bool live;              /* Xen still has the ring */
    bool broken;            /* holds nonsense: not read any more */
};

struct accounts {
    struct account *accounts;
    size_t count;
    size_t room;
};

struct account_totals {
    uint64_t made, read, lost;
    uint64_t lost_by_cause[XENOPROF_CAUSES];
};

void accounts_free(struct accounts *accounts);

/* The account of this ring and generation, a new one if there is none; hint
 * is where to look first.  NULL if there is no memory; a pointer is good
 * until the next call. */
struct account *accounts_get(struct accounts *accounts, size_t hint,
                             const struct xenoprof_ring_info *info);

/* Samples that Xen committed and that are in no block and in no ring: what
 * could not be stored, and all that a broken ring still held. */
uint64_t account_lost_daemon(const struct account *account);
/* All causes. */
uint64_t account_lost(const struct account *account);

void accounts_total(const struct accounts *accounts,
                    struct account_totals *ret);

#endif

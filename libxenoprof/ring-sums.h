/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of rings that have ended, by owner: a session's writer keeps them for
 * its next file, and the daemon for --status.  A session may see any number of
 * owners: those that came last have a sum of their own, all before them share
 * one, which is of XENOPROF_OTHERS.
 */
#ifndef XENOPROF_LIBXENOPROF_RING_SUMS_H
#define XENOPROF_LIBXENOPROF_RING_SUMS_H

#include "base/table.h"
#include "libxenoprof.h"

/* When there are so many, the older half becomes a part of the others': each of
 * as many guests as a host has at a time keeps its own when all of them end. */
#define RING_SUMS_MAX 1024u

/* A table of struct xenoprof_ring_sum. */
static inline void ring_sums_init(struct table *sums)
{
    table_init(sums, sizeof(struct xenoprof_ring_owner),
               sizeof(struct xenoprof_ring_sum));
}

/* Adds up two sums, whoever owns them. */
static inline void ring_sum_add(void *to, const void *from)
{
    const struct xenoprof_ring_sum *more = from;
    struct xenoprof_ring_sum *sum = to;

    sum->rings += more->rings;
    sum->made += more->made;
    sum->read += more->read;
    sum->lost_daemon += more->lost_daemon;
    for ( unsigned int i = 0; i < XENOPROF_LOST_SLOTS; i++ )
        sum->lost[i] += more->lost[i];
}

/* Adds to the sum of more's owner.  Returns false if there is no memory: the
 * sums are then as before. */
static inline bool ring_sums_add(struct table *sums,
                                 const struct xenoprof_ring_sum *more)
{
    const struct xenoprof_ring_owner others = {.domain = XENOPROF_OTHERS};
    struct xenoprof_ring_sum *sum = table_find(sums, &more->owner);

    if ( !sum && sums->count >= RING_SUMS_MAX &&
         !table_join_older(sums, &others, ring_sum_add) )
        return false;
    sum = table_put(sums, &more->owner);
    if ( sum )
        ring_sum_add(sum, more);
    return sum;
}

#endif

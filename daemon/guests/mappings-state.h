/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What processes of a guest have mapped, for an agent that has the guest's
 * files but knows of no process that it was not told of
 * (agent_link_wants_known()); or, where there is no agent, for names by the
 * files that the guest has in memory (cached-state.h). It is read in the
 * guest's memory when the first sample of a process asks for a name; samples
 * wait for it, and not for long.
 */
#ifndef XENOPROF_DAEMON_GUESTS_MAPPINGS_STATE_H
#define XENOPROF_DAEMON_GUESTS_MAPPINGS_STATE_H

#include "base/table.h"
#include "base/vector.h"
#include "walked-stacks.h"

struct mappings_search;

/* Processes of one guest that are known at a time. */
#define MAPPINGS_NOTED_MAX 4096u
/* Pieces of code of all of them. */
#define MAPPINGS_PIECES_MAX 65536u
/* How often one that was not found is looked for before it is let be for a
 * while. */
#define MAPPINGS_TRIES_MAX 2u
/* Searches at a time, of all guests. */
#define MAPPINGS_SEARCHES_MAX 2u
/* Our clock, ns: between two of one guest; how long samples wait for one; after
 * which a process is read again, and again because a sample was outside what is
 * known of it. */
#define MAPPINGS_PAUSE    50000000ull
#define MAPPINGS_PATIENCE 4000000000ull
#define MAPPINGS_AGE      10000000000ull
#define MAPPINGS_RENEW    1000000000ull

struct guest_mappings {
    struct table processes;
    size_t pieces; /* of all of them */
    struct {
        VECTOR(struct user_address);
    } queue;               /* to be read; address 0 each */
    size_t first;          /* in the queue */
    uint64_t next;         /* our clock: when it may be searched again */
    uint32_t conversation; /* with the agent, that was told */
    struct mappings_search *search; /* NULL: none goes on, or is to be told */
};

#endif

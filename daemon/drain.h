/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the rings to the session: the daemon's work.
 *
 * A sample is read when the block that holds it is on disk; only then is Xen
 * told that its bytes may be overwritten.
 */
#ifndef XENOPROF_DAEMON_DRAIN_H
#define XENOPROF_DAEMON_DRAIN_H

#include "accounts.h"
#include "domain-names.h"
#include "control/chain-counts.h"
#include "places.h"

#define BLOCK_BYTES (1u << 20) /* a block is written when it holds as much */

struct drain {
    struct xenoprof_source *source;
    struct xenoprof_writer *writer;
    struct places *places;
    struct domain_names *names;
    struct guests *guests; /* NULL: guests have addresses */
    bool below_xen;        /* their kernels' stacks were asked for */
    bool hurried;          /* no sample waits any longer */
    struct accounts accounts;
    struct chain_counts chains; /* of what this daemon stored */
    uint64_t time;              /* Xen's, as last told; 0: not yet */
    size_t stopped; /* rings that Xen stopped for an impossible index */
    size_t first;   /* ring that the next round begins with */
    uint64_t round; /* ns that a round may take */
    uint64_t wait;  /* ns that samples wait for a guest's kernel, at most */
    uint64_t round_began, round_end; /* monotonic ns */
    unsigned int taken;              /* samples in this round */
    bool over;                       /* it was cut short */
};

void drain_open(struct drain *drain, struct xenoprof_source *source,
                struct xenoprof_writer *writer);
void drain_free(struct drain *drain);

/* Go on where a reopened writer's last block ended: counters, and positions
 * of the rings that are still the same.  After a first refresh. */
enum xenoprof_status drain_resume(struct drain *drain);

/*
 * Read all that is there, at most about one block and for some 250 ms; *more
 * says that it was cut short.  XENOPROF_OK, or what the writer said.
 */
enum xenoprof_status drain_read(struct drain *drain, bool *more);

/* Note how far the rings are filled; true when all that is read. */
void drain_mark(struct drain *drain);
bool drain_reached_mark(struct drain *drain);

/* True if the next block should not wait: what was read but not yet released
 * fills more than a quarter of a ring, or the block is large. */
bool drain_pressed(const struct drain *drain);

/* Write the block, then release the rings.  idle is NULL if Xen did not tell
 * it. */
enum xenoprof_status drain_flush(struct drain *drain,
                                 const struct idle_times *idle);

/* The index-th ring that was closed and is drained and released; false:
 * there is none from *index on.  *index moves behind it. */
bool drain_next_finished(struct drain *drain, size_t *index, uint32_t *ring);

/* Nothing more can be stored: what is not in a block is lost. */
void drain_give_up(struct drain *drain);

#endif

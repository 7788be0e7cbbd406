/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the rings to the session: the daemon's work.  drain.c takes records,
 * drain-blocks.c writes blocks.
 *
 * A sample counts as read when the block that holds it is on disk; only then
 * does the consumer index move, and Xen may overwrite the sample's bytes.
 */
#ifndef XENOPROF_DAEMON_DRAIN_H
#define XENOPROF_DAEMON_DRAIN_H

#include "accounts.h"
#include "domain-names.h"
#include "control/chain-counts.h"
#include "places.h"

#define BLOCK_BYTES (1u << 20) /* a block is full when it holds as many */

struct drain {
    struct xenoprof_source *source;
    struct xenoprof_writer *writer;
    struct places *places;
    struct domain_names *names;
    struct guests *guests; /* NULL: guests' code has no names */
    bool below_xen;        /* guests' kernels' stacks were asked for */
    bool hurried;          /* no sample may wait */
    struct accounts accounts;
    struct chain_counts chains; /* that this daemon stored */
    uint64_t time;              /* Xen's, as last known; 0: not yet */
    size_t stopped;             /* rings that Xen stopped: impossible index */
    size_t first;               /* ring that the next round begins with */
    uint64_t round;             /* ns that a round may take */
    uint64_t wait; /* ns that samples wait for a guest's kernel, at most */
    uint64_t round_began, round_end; /* monotonic ns */
    unsigned int taken;              /* samples in this round */
    unsigned int asked;              /* records of this round looked ahead at */
    uint64_t position;               /* behind the record that was read last */
    bool over;                       /* this round was cut short */
    bool again; /* samples wait only for another round's batch */
};

void drain_open(struct drain *drain, struct xenoprof_source *source,
                struct xenoprof_writer *writer);
void drain_free(struct drain *drain);

/*
 * Goes on where the last block of a reopened writer ended: counters, and the
 * positions of rings that are still the same.  The source was refreshed.
 */
enum xenoprof_status drain_resume(struct drain *drain);

/*
 * One round: reads what the rings hold, at most about one block and for about
 * 250 ms.  Returns XENOPROF_OK or what the writer failed with.  *more: the
 * round was cut short.
 */
enum xenoprof_status drain_read(struct drain *drain, bool *more);

/* drain_mark() notes how far the rings are filled; drain_reached_mark() returns
 * true when all of that is read. */
void drain_mark(struct drain *drain);
bool drain_reached_mark(struct drain *drain);

struct spool_waiting {
    uint64_t samples, bytes;
    unsigned int guests; /* whose they are */
};

/* Says how many samples wait for what is to be known of their guests. */
void drain_waiting(const struct drain *drain, struct spool_waiting *ret);

bool drain_block_is_full(const struct drain *drain);
/* Returns true if the next block should not wait: it is full, or samples that
 * were read and not yet released fill more than a quarter of a ring. */
bool drain_pressed(const struct drain *drain);

/* Writes the block, then releases the rings' bytes to Xen.  idle: NULL if it
 * could not be read. */
enum xenoprof_status drain_flush(struct drain *drain,
                                 const struct idle_times *idle);

/* Returns true and the number of the next ring, from *index on, that Xen closed
 * and that is drained and released; false if there is none.  *index moves on
 * past it. */
bool drain_next_finished(struct drain *drain, size_t *index, uint32_t *ring);

/* Nothing more can be stored: samples that are not in a block are lost. */
void drain_give_up(struct drain *drain);

#endif

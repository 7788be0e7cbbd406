/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From the rings to the session: the daemon's work.  drain.c takes records,
 * drain-spool.c has those that wait for their guest, drain-store.c stores
 * samples and lets go of domains, drain-blocks.c writes blocks.
 *
 * A sample counts as read when the block that holds it is on disk.  The
 * consumer index moves, and Xen may overwrite the sample's bytes, when a block
 * is on disk that holds the sample or counts it among those that wait: what
 * waits when a daemon is killed is lost, and counted.
 */
#ifndef XENOPROF_DAEMON_DRAIN_H
#define XENOPROF_DAEMON_DRAIN_H

#include "accounts.h"
#include "domain-names.h"
#include "control/chain-counts.h"
#include "places.h"
#include "spool.h"
#include "daemon/waits/spool-counts.h"
#include "daemon/waits/wait-times.h"
#include "daemon/waits/waiter-account.h"

#define BLOCK_BYTES (1u << 20) /* a block is full when it holds as many */

struct drain {
    struct xenoprof_source *source;
    struct xenoprof_writer *writer;
    struct places *places;
    struct domain_names *names;
    struct guests *guests; /* NULL: guests' code has no names */
    bool below_xen;        /* guests' kernels' stacks were asked for */
    bool hurried;          /* samples wait for an answer at most, and */
    uint64_t hurry_end;    /* ... until then: our clock */
    bool gathers; /* batches wait for more samples until they are due */
    struct accounts accounts;
    struct spool spool;               /* the accounts have its queues */
    struct spool_counts spool_counts; /* ... and what blocks say of these */
    struct wait_times waits;
    struct waiter_account waiters;
    struct chain_counts chains; /* that this daemon stored */
    uint32_t files_ended;       /* xenoprof_writer_epoch(), whose numbers of
                                   places are at hand */
    uint64_t time;              /* Xen's, as last known; 0: not yet */
    uint64_t newest;            /* the same: of the newest sample */
    uint64_t list;              /* xenoprof_source_list(), as last seen */
    size_t stopped;             /* rings that Xen stopped: impossible index */
    size_t closed;              /* rings that Xen closed, as last seen */
    bool pressed;               /* samples not yet released fill much of one */
    size_t first;               /* ring that the next round begins with */
    uint64_t round;             /* ns that a round may take */
    uint64_t rest; /* ns that the last one took beside searches; 0: rings
                      cannot wait for these */
    uint64_t wait; /* ns that samples wait for their guest, at most */
    uint64_t round_began, round_end; /* monotonic ns */
    unsigned int taken;              /* samples in this round */
    unsigned int asked; /* samples of this round that could be asked for */
    uint64_t position;  /* of a ring: grows with each record of it, and never
                           beyond where the ring is read */
    bool over;          /* this round was cut short */
    bool again;         /* samples wait only for another round's batch */
};

/* Samples may wait in so many bytes. */
void drain_open(struct drain *drain, struct xenoprof_source *source,
                struct xenoprof_writer *writer, uint64_t spool);
/* Nothing more is drained; the counters stay. */
void drain_close(struct drain *drain);
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

/* Returns how many samples wait. */
void drain_waiting(const struct drain *drain, struct spool_waiting *ret);

/* drain_mark() notes how far the rings are filled; drain_reached_mark() returns
 * true when all of that is read. */
void drain_mark(struct drain *drain);
bool drain_reached_mark(struct drain *drain);

/* Returns true if the next block should not wait: it is full, or samples that
 * the last round left, read and not yet released, fill more than half of a
 * ring, or a quarter where vCPUs that wait are sampled. */
bool drain_pressed(const struct drain *drain);

/* Writes the block, then releases the rings' bytes to Xen.  idle: NULL if it
 * could not be read. */
enum xenoprof_status drain_flush(struct drain *drain,
                                 const struct idle_times *idle);

/* Returns true and the number of the next ring, from *index on, that Xen closed
 * and that is drained and released; false if there is none.  *index moves on
 * past it. */
bool drain_next_finished(struct drain *drain, size_t *index, uint32_t *ring);

/* What is kept of domains that have ended, by the list of domains that was
 * learned last, goes. */
void drain_end_domains(struct drain *drain);

/* The session ends: stores what of vCPUs that waited is not in it yet. */
enum xenoprof_status drain_finish_waits(struct drain *drain);

/* Nothing more can be stored: samples that are not in a block are lost. */
void drain_give_up(struct drain *drain);

/* For drain*.c only ------------------------------------------------------- */

/* Which of count is the number-th, from first on, which is less, and around. */
static inline size_t drain_turn(size_t first, size_t number, size_t count)
{
    return first + number < count ? first + number : first + number - count;
}

/* Whether it is of a vCPU that waited. */
static inline bool drain_is_of_waiter(const struct xenoprof_sample *sample)
{
    return sample->marks & XENOPROF_MARK_WAITING;
}

/* Counts a sample that cannot be stored. */
static inline void drain_drop(struct drain *drain, struct account *account,
                              const struct xenoprof_sample *sample)
{
    account->changed = true;
    if ( drain_is_of_waiter(sample) )
        drain->waiters.dropped++;
    else
        account->dropped++;
}

/* Returns the uuid of a sample's domain, or NULL if it is not known. */
const uint8_t *drain_uuid(const struct drain *drain,
                          const struct account *account,
                          const struct xenoprof_sample *sample);
struct stack_sources drain_sources(const struct drain *drain, uint64_t tag,
                                   enum xenoprof_ended cut);
/* Stores a sample with what is known of its guest, and counts it.  cut: why it
 * cannot wait for more; ROOT: it need not. */
enum xenoprof_status drain_store(struct drain *drain, struct account *account,
                                 const struct xenoprof_view *view, uint64_t tag,
                                 enum xenoprof_ended cut);
/* Forgets numbers of places if the session's next file began. */
void drain_check_file(struct drain *drain);
/* Returns true if this part of a round must end: a block is full, or time is
 * up. */
bool drain_is_over(struct drain *drain);

/* Returns true if all is read that the rings held at the mark. */
bool drain_rings_reached_mark(struct drain *drain);

/* Takes a sample: stores it, or lets it wait. */
enum xenoprof_status drain_take(struct drain *drain, struct account *account,
                                const struct xenoprof_view *view);
/* All stacks that samples wait for go to the walkers at once. */
enum xenoprof_status drain_ask(struct drain *drain);
/* Stores the samples that need not wait any more, in the order of each ring. */
enum xenoprof_status drain_store_ready(struct drain *drain);

#endif

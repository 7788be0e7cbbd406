/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of version 2 as items, which is how version 1 has them: places and
 * stacks have numbers in all of the session, and come before the first sample
 * that needs them.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_EPOCH_ITEMS_H
#define XENOPROF_LIBXENOPROF_SESSION_EPOCH_ITEMS_H

#include "base/triple-table.h"
#include "epoch-read.h"
#include "libxenoprof.h"
#include "sample-columns.h"

#define CALL_CHAINS TRIPLE /* of a sample: Xen's, the kernel's, the process's */
#define CALLS_AHEAD 16u    /* rows of samples whose memory is asked for */

/* In which order a block's items come. */
enum items_phase {
    ITEMS_NOTES,
    ITEMS_NAMED,
    ITEMS_SUMS,
    ITEMS_CODE,  /* nodes and their places */
    ITEMS_CALLS, /* what samples ran */
    ITEMS_SAMPLES,
    ITEMS_ACCOUNTS,
    ITEMS_COUNTERS,
    ITEMS_IDLE,
    ITEMS_WAITS,
    ITEMS_CLOSED,
    ITEMS_PHASES
};

/* How samples are wanted: one by one; in columns; or so without chains. */
enum items_wanted { ITEMS_ONES, ITEMS_CHAINS, ITEMS_LEAVES };

/* What a domain of the session is called; malloc'ed, NULL: not known. */
struct items_domain {
    char *name;
};

/* What a number of the file is in the session. */
struct items_map {
    VECTOR(uint32_t); /* 0: not known yet */
};

/* What a sample ran. */
struct items_stack {
    struct {
        uint32_t nodes[CALL_CHAINS]; /* of all */
    } key;
    uint32_t call; /* number + 1; 0: none yet */
};

struct epoch_items {
    struct epoch_read *read;
    struct epoch_tables all; /* of the session */
    struct table stacks;     /* struct items_stack */
    uint32_t stack_count;    /* numbers that were given to these */
    struct items_map texts, domain_rows, places, nodes;
    struct {
        VECTOR(struct items_domain);
    } domains;            /* by row of all.domains */
    uint32_t *domain_now; /* by number: row of all.domains; 0: nobody */
    enum items_phase phase;
    size_t row;                            /* of its table, the next one */
    size_t width;                          /* ... columns of a row */
    uint32_t places_before, stacks_before; /* numbers of version 1 */
    bool first;                            /* the block is its file's first */
    bool code;                             /* nodes and places are items */
    bool later;   /* another file before it had nodes */
    bool indexed; /* nodes and stacks of all are found by what they are */
    size_t coded_ahead;
    uint32_t code_hashes[CALLS_AHEAD]; /* of nodes up to there; 0: unknown */
    size_t coded; /* nodes of the file that are the session's, too */
    uint64_t steps;
    struct {
        VECTOR(uint32_t);
    } frames;                  /* of the stack that was returned last */
    struct triple_table calls; /* of the file */
    enum items_wanted wanted;
    struct items_map leaves;       /* calls + 1 by leaf, if leaves are wanted */
    struct sample_columns columns; /* of the block */
    size_t expected;               /* rows up to here are looked at: */
    uint32_t hashes[CALLS_AHEAD];
};

/* Returns false if there is no memory. */
bool epoch_items_init(struct epoch_items *items, struct epoch_read *read);
void epoch_items_free(struct epoch_items *items);
/* Another file begins; so many places and stacks have numbers of version 1. */
void epoch_items_begin_file(struct epoch_items *items, uint32_t places,
                            uint32_t stacks);
/* The block that read has comes next; first: of its file.  Without code what it
 * defines waits for a block that needs it. */
void epoch_items_begin(struct epoch_items *items, bool first, bool code);

/* Returns XENOPROF_OK and the next item, good until the next call;
 * XENOPROF_END after the block's last; or XENOPROF_NO_MEMORY, without a
 * message. */
enum xenoprof_status epoch_items_next(struct epoch_items *items,
                                      struct xenoprof_item *ret);

/* For epoch-items*.c and epoch-samples.c only ------------------------------ */

/* Puts the block's samples into columns.  Returns XENOPROF_OK and an item that
 * comes first, after which this is asked again; XENOPROF_END when all are
 * there; or XENOPROF_NO_MEMORY. */
enum xenoprof_status samples_take(struct epoch_items *items,
                                  struct xenoprof_item *ret);
/* Each returns XENOPROF_OK and the next sample, or some, or an item that comes
 * before them; XENOPROF_END after the last; or XENOPROF_NO_MEMORY. */
enum xenoprof_status samples_next(struct epoch_items *items,
                                  struct xenoprof_item *ret);
enum xenoprof_status samples_next_columns(struct epoch_items *items,
                                          struct xenoprof_item *ret);

/* For who wants leaves only: what a node of the file is, from its place of all;
 * its memory is asked for; the number of what a sample of these nodes ran,
 * false if there is no memory. */
uint32_t leaf_of_node(uint32_t place, bool called);
void leaf_expect(const struct epoch_items *items,
                 const uint32_t nodes[CALL_CHAINS]);
bool leaf_call(struct epoch_items *items, const uint32_t nodes[CALL_CHAINS],
               uint32_t *ret);
/* The same for who wants chains, of what has no number yet. */
bool chain_call(struct epoch_items *items, const uint32_t nodes[CALL_CHAINS],
                uint32_t *ret);

/* The node of a sample's leaf, or 0 if nothing is known of it. */
static inline uint32_t leaf_node(const uint32_t nodes[CALL_CHAINS])
{
    return nodes[0] ? nodes[0] : nodes[1] ? nodes[1] : nodes[2];
}

/* What a place of all is called in items; 0 for 0. */
static inline uint32_t items_place(const struct epoch_items *items,
                                   uint32_t place)
{
    return place ? items->places_before + place : 0;
}

/* The number is this domain's, a row of the file's, from here on. */
void items_say_domain(struct epoch_items *items, uint64_t domain, uint64_t time,
                      const char *name, struct xenoprof_item *ret);

/* Each returns what a number of the file is in the session, made if it is new;
 * 0 for 0 and for what is not known.  *done becomes false if there is no
 * memory. */
uint32_t items_text(struct epoch_items *items, uint64_t text, bool *done);
uint32_t items_domain(struct epoch_items *items, uint64_t domain, bool *done);

/* Makes the nodes that the file has defined nodes of the session.  Returns
 * XENOPROF_OK and the place of one as an item, after which this is asked again;
 * XENOPROF_END when all are there; or XENOPROF_NO_MEMORY. */
enum xenoprof_status items_code(struct epoch_items *items,
                                struct xenoprof_item *ret);
/* The name that a place got since: returns true if that is an item. */
bool items_named(struct epoch_items *items, uint64_t place,
                 struct xenoprof_item *ret, bool *done);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block's rows as items: places and stacks have numbers in all of the
 * session, and come before the first sample that needs them.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_BLOCK_ITEMS_H
#define XENOPROF_LIBXENOPROF_SESSION_BLOCK_ITEMS_H

#include "base/triple-table.h"
#include "reader-tables.h"
#include "libxenoprof.h"
#include "libxenoprof/nameless.h"
#include "sample-columns.h"

#define TICKS_WIDTH (SESSION_TICKS_SCALE + 1u)

/* Of a sample: Xen's, the kernel's, the process's. */
#define CALL_CHAINS TRIPLE

#define CALLS_EXPECTED 16u /* rows of samples whose memory is asked for */

#define NODES_AT_ONCE 64u

/* In which order a block's items come. */
enum items_phase {
    ITEMS_NOTES,
    ITEMS_TYPES,
    ITEMS_NAMED,
    ITEMS_LINES,
    ITEMS_SUMS,
    ITEMS_CODE,  /* nodes and their places */
    ITEMS_CALLS, /* what samples ran */
    ITEMS_SAMPLES,
    ITEMS_ACCOUNTS,
    ITEMS_COSTS,
    ITEMS_COUNTERS,
    ITEMS_IDLE,
    ITEMS_WAITS,
    ITEMS_LATENCIES,
    ITEMS_EXITS,
    ITEMS_MEASURED,
    ITEMS_ORIGINS,
    ITEMS_SPOOLED,
    ITEMS_BYTES, /* of code */
    ITEMS_INSTRUCTIONS,
    ITEMS_SOURCES,
    ITEMS_CLOSED,
    ITEMS_PHASES
};

/* How samples are wanted: one by one; in columns; so without chains; so with
 * kinds of nodes in place of nodes; or without anything that they ran. */
enum items_wanted {
    ITEMS_ONES,
    ITEMS_CHAINS,
    ITEMS_LEAVES,
    ITEMS_KINDS,
    ITEMS_WHO
};

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

#define WHO_COLUMNS 4u
#define WHO_BITS    10u
#define WHO_UNKNOWN UINT32_MAX /* a lost block said who it is */

/* Who samples of a block are of, by the file's numbers: most are of who some
 * other one was of just before. */
struct items_who {
    uint64_t key, thread;
    uint32_t turn; /* the items' when it was put there */
    uint32_t who;  /* of columns, or WHO_UNKNOWN */
};

struct block_items {
    struct reader_tables *read;
    struct defined_tables all; /* of the session */
    struct table stacks;       /* struct items_stack */
    uint32_t stack_count;      /* numbers that were given to these */
    struct items_map texts, domain_rows, spaces, symbols, places;
    struct items_map nodes; /* not of columns with chains: there they are what
                               the file calls them */
    bool (*kinds_of)(void *argument, uint32_t file,
                     const struct xenoprof_kind_node *nodes, size_t count,
                     uint32_t *ret);
    void *kinds_argument;
    struct items_map functions; /* places by symbol and mode, if those of one
                                   function are one */
    bool by_function;
    struct nameless nameless; /* ... then; those that are not of processes */
    struct {
        VECTOR(struct items_domain);
    } domains;            /* by row of all.domains */
    uint32_t *domain_now; /* by number: row of all.domains; 0: nobody */
    enum items_phase phase;
    struct session_table table; /* of the phase, if it has rows, */
    size_t row;                 /* ... of which this is the next one */
    bool code;                  /* nodes and places are items */
    bool later;                 /* another file before it had nodes */
    bool indexed; /* nodes and stacks of all are found by what they are */
    size_t coded_expected;
    uint32_t code_hashes[CALLS_EXPECTED]; /* of nodes up to there; 0: unknown */
    size_t coded; /* nodes of the file that are the session's, too */
    size_t types; /* rows of the file that were items */
    bool spooled; /* it was said that samples wait */
    uint64_t steps;
    struct {
        VECTOR(uint32_t);
    } lined;      /* places of the file whose lines are items next, */
    size_t lines; /* ... from this one on */
    struct {
        VECTOR(uint32_t);
    } frames;                  /* of the stack that was returned last */
    struct triple_table calls; /* of the file */
    enum items_wanted wanted;
    bool pcpus_apart;             /* where samples ran is in columns */
    struct items_map first_vcpus; /* of the block, by domain of the file */
    struct items_map leaves;      /* calls + 1 by leaf, if leaves are wanted */
    struct {
        VECTOR(bool);
    } passing; /* by number of a place's item: its leaves count for callers */
    struct sample_columns columns; /* of the block */
    size_t expected;               /* rows up to here are looked at: */
    uint32_t hashes[CALLS_EXPECTED];
    bool changes;  /* a number of a domain of the block's was another's */
    uint32_t turn; /* counts blocks */
    struct items_who whos[1u << WHO_BITS];
    struct items_map
        dense; /* of the block: who samples are of, by their columns' digits */
};

/* Returns false if there is no memory. */
bool block_items_init(struct block_items *items, struct reader_tables *read);
void block_items_free(struct block_items *items);
/* Another file begins. */
void block_items_begin_file(struct block_items *items);
/* The block that read has comes next.  Without code what it defines waits for a
 * block that needs it. */
void block_items_begin(struct block_items *items, bool code);

/* Returns XENOPROF_OK and the next item, good until the next call;
 * XENOPROF_END after the block's last; or XENOPROF_NO_MEMORY, without a
 * message. */
enum xenoprof_status block_items_next(struct block_items *items,
                                      struct xenoprof_item *ret);

/* For block-items*.c and block-samples.c only ------------------------------ */

/* Puts the block's samples into columns.  Returns XENOPROF_OK and an item that
 * comes first, after which this is asked again; XENOPROF_END when all are
 * there; or XENOPROF_NO_MEMORY. */
enum xenoprof_status samples_take(struct block_items *items,
                                  struct xenoprof_item *ret);
/* Puts the numbers of who the block's rows are of into their column, or
 * WHO_UNKNOWN: *known becomes false then, and items->changes true if a domain's
 * number was another's up to here; or those of rows from first to end into
 * whos.  Each returns false if there is no memory, as the next one does. */
bool whos_find(struct block_items *items, bool *known);
bool whos_find_some(struct block_items *items, size_t first, size_t end,
                    uint32_t *whos, bool *known);
/* Puts where samples ran into columns.  What is left of it is the same for all
 * vCPUs of a domain: the first one of the block, and no pCPU. */
bool whos_set_apart(struct block_items *items);
/* Puts what the block says that its samples stand for into columns.  Returns
 * false if there is no memory. */
bool whos_take_ticks(struct block_items *items);
/* Returns whether all shapes are of time in which pCPUs worked. */
bool whos_are_busy(struct block_items *items);
/* Returns what is noted of the domain of this vCPU of the file if its number
 * was another's up to here, or NULL.  *done becomes false if there is no
 * memory. */
const struct items_domain *whos_changed_domain(struct block_items *items,
                                               uint32_t vcpu, bool *done);

/* Each returns XENOPROF_OK and the next sample, or some, or an item that comes
 * before them; XENOPROF_END after the last; or XENOPROF_NO_MEMORY. */
enum xenoprof_status samples_next(struct block_items *items,
                                  struct xenoprof_item *ret);
enum xenoprof_status samples_next_columns(struct block_items *items,
                                          struct xenoprof_item *ret);

/* For who wants leaves only: what a node of the file is, by its index, if its
 * place passes (there is a parent, which is noted); then what each row of
 * samples ran is put into its column.  Returns false if there is no memory. */
uint32_t leaf_that_passes(const struct block_items *items, size_t index,
                          const struct xenoprof_node *node);
bool leaves_take(struct block_items *items);
/* For who wants kinds, the same; those of the file's next nodes are noted, at
 * most NODES_AT_ONCE: parents are the file's, and noted, places are of all. */
bool kinds_of_nodes(struct block_items *items,
                    const struct xenoprof_node *nodes, size_t count);
bool kinds_take(struct block_items *items);
/* For who wants chains: the number of what has none yet. */
bool chain_call(struct block_items *items, const uint32_t nodes[CALL_CHAINS],
                uint32_t *ret);

/* The node of one chain of a row of samples; one that is not known is none. */
static inline uint32_t samples_node(const struct reader_tables *read,
                                    size_t row, unsigned int column)
{
    uint64_t node = read->section.values[column][row];

    return node <= read->nodes.count ? (uint32_t)node : 0;
}

static inline void samples_nodes(const struct reader_tables *read, size_t row,
                                 uint32_t ret[CALL_CHAINS])
{
    ret[0] = samples_node(read, row, SESSION_SAMPLE_XEN);
    ret[1] = samples_node(read, row, SESSION_SAMPLE_KERNEL);
    ret[2] = samples_node(read, row, SESSION_SAMPLE_USER);
}

/* The node of a sample's leaf, or 0 if nothing is known of it. */
static inline uint32_t leaf_node(const uint32_t nodes[CALL_CHAINS])
{
    return nodes[0] ? nodes[0] : nodes[1] ? nodes[1] : nodes[2];
}

/* Whether samples in an item's place count for callers. */
static inline bool items_pass(const struct block_items *items, uint32_t number)
{
    return number < items->passing.count && items->passing.items[number];
}

/* A text of the file's; empty if it is not known. */
static inline const char *items_known_text(const struct block_items *items,
                                           uint64_t number)
{
    const char *text = reader_text(items->read, number);

    return text ? text : "";
}

/* What a node of the file is otherwise, from its place of all. */
static inline uint32_t leaf_of_node(const struct xenoprof_node *node)
{
    return node->place << 1 | (node->parent != 0);
}

/* Each returns what a number of the file is in the session, made if it is new;
 * 0 for 0 and for what is not known.  *done becomes false if there is no
 * memory. */
uint32_t items_text(struct block_items *items, uint64_t text, bool *done);
uint32_t items_domain(struct block_items *items, uint64_t domain, bool *done);
/* The number is this domain's, a row of the file's, from here on. */
void items_say_domain(struct block_items *items, uint64_t domain, uint64_t time,
                      const char *name, struct xenoprof_item *ret);

/* Makes the nodes that the file has defined nodes of the session.  Returns
 * XENOPROF_OK and the place of one as an item, after which this is asked again;
 * XENOPROF_END when all are there; or XENOPROF_NO_MEMORY. */
enum xenoprof_status items_code(struct block_items *items,
                                struct xenoprof_item *ret);
/* The name that a place got since: returns true if that is an item. */
bool items_named(struct block_items *items, uint64_t place,
                 struct xenoprof_item *ret, bool *done);

/* Puts the next line of a place that is an item into *ret.  Returns false if
 * there is none. */
bool items_next_line(struct block_items *items, struct xenoprof_item *ret);
/* The line of a place, if there is one, is an item after what comes now.
 * Returns false if there is no memory. */
bool items_add_line(struct block_items *items, uint64_t place);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Blocks of version 2 as items, which is how version 1 has them: places and
 * stacks have numbers in all of the session, and come before the first sample
 * that needs them.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_EPOCH_ITEMS_H
#define XENOPROF_LIBXENOPROF_SESSION_EPOCH_ITEMS_H

#include "epoch-read.h"
#include "libxenoprof.h"

#define ITEM_CHAINS 3u /* of a sample: Xen's, the kernel's, the process's */

/* In which order a block's items come. */
enum items_phase {
    ITEMS_NOTES,
    ITEMS_NAMED,
    ITEMS_SUMS,
    ITEMS_SAMPLES,
    ITEMS_ACCOUNTS,
    ITEMS_COUNTERS,
    ITEMS_IDLE,
    ITEMS_CLOSED,
    ITEMS_PHASES
};

/* What a domain of the session is called; malloc'ed, NULL: not known. */
struct items_domain {
    char *name;
};

/* What a number of the file is in the session. */
struct items_map {
    VECTOR(uint32_t); /* 0: not known yet */
};

struct epoch_items {
    struct epoch_read *read;
    struct epoch_tables all; /* of the session */
    struct table stacks;     /* of nodes of all */
    struct items_map texts, domain_rows, places, nodes;
    struct {
        VECTOR(struct items_domain);
    } domains;            /* by row of all.domains */
    uint32_t *domain_now; /* by number: row of all.domains; 0: nobody */
    enum items_phase phase;
    size_t row; /* of its table, the next one */
    bool first; /* the block is its file's first */
    uint64_t steps;
    struct {
        VECTOR(uint32_t);
    } frames; /* of the stack that was returned last */
};

/* Returns false if there is no memory. */
bool epoch_items_init(struct epoch_items *items, struct epoch_read *read);
void epoch_items_free(struct epoch_items *items);
/* Another file begins. */
void epoch_items_begin_file(struct epoch_items *items);
/* The block that read has comes next; first: of its file. */
void epoch_items_begin(struct epoch_items *items, bool first);

/* Returns XENOPROF_OK and the next item, good until the next call;
 * XENOPROF_END after the block's last; or XENOPROF_NO_MEMORY, without a
 * message. */
enum xenoprof_status epoch_items_next(struct epoch_items *items,
                                      struct xenoprof_item *ret);

/* For epoch-items*.c only ------------------------------------------------- */

/* Each returns what a number of the file is in the session, made if it is new;
 * 0 for 0 and for what is not known.  *done becomes false if there is no
 * memory. */
uint32_t items_text(struct epoch_items *items, uint64_t text, bool *done);
uint32_t items_domain(struct epoch_items *items, uint64_t domain, bool *done);

/* What a sample's chains are in the session: rows of all.nodes.  Returns
 * XENOPROF_OK; XENOPROF_END if an item, *ret, comes first, after which this is
 * asked again; or XENOPROF_NO_MEMORY. */
enum xenoprof_status items_nodes(struct epoch_items *items,
                                 const uint64_t nodes[ITEM_CHAINS],
                                 uint32_t into[ITEM_CHAINS],
                                 struct xenoprof_item *ret);
/* The name that a place got since: returns true if that is an item. */
bool items_named(struct epoch_items *items, uint64_t place,
                 struct xenoprof_item *ret, bool *done);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks for a report that asks only some things of them: frames that say
 * nothing of these are left out while a session is read, so few stacks are told
 * apart, and each leads to the same answers as the whole one.
 *
 * Which frames say something is the report's to know, by struct prune_rules:
 *
 *  - the leaf, or who called it if it is a thunk;
 *  - of Xen's frames the innermost that says what Xen did (work), or else the
 *    innermost way in (entry); and on that work's way the outermost part;
 *  - of a guest's frames the innermost that has a name, and the innermost that
 *    spins for a lock, or that an interrupt came in at, and who called it.
 *
 * A frame whose name is not known may say anything once it is, so it stays.
 */
#ifndef XENOPROF_REPORT_CELLS_PRUNED_STACKS_H
#define XENOPROF_REPORT_CELLS_PRUNED_STACKS_H

#include "base/pair-counts.h"
#include "report/model/loaded.h"

/* What a function says by its name. */
enum {
    TRAIT_THUNK = 1u << 0,      /* a sample in it is its caller's */
    TRAIT_WHO = 1u << 1,        /* in a guest, for whom it is */
    TRAIT_SPIN = 1u << 2,       /* it waits for a lock */
    TRAIT_INTERRUPT = 1u << 3,  /* what it calls does not wait */
    TRAIT_WORK = 1u << 4,       /* what Xen did */
    TRAIT_ENTRY = 1u << 5,      /* how Xen was entered */
    TRAIT_BY_CALLER = 1u << 6,  /* what, that depends on who called it */
    TRAIT_ADVICE = 1u << 7,     /* then for whom it was may be asked */
    TRAIT_WAY = 1u << 8,        /* then the guest's entry says more */
    TRAIT_ON_THE_WAY = 1u << 9, /* what Xen did on the way of work or entry */
};

struct prune_rules {
    /* Returns what a function of that mode and name says. */
    unsigned int (*traits)(enum xenoprof_mode mode, const char *symbol);
    /* Whether for whom it was may be asked if a guest entered Xen so. */
    bool (*entry_asks)(const struct xenoprof_entry *entry);
};

/* When it is asked which of a guest's functions a sample was for. */
enum prune_asker {
    ASKS_NEVER,    /* of samples in guests, and of dom0 */
    ASKS_BY_STACK, /* if Xen's frames say so */
    ASKS_BY_ENTRY, /* and if they leave it to the guest's entry */
    PRUNE_ASKERS
};

/* Beside these, who has whole stacks. */
enum { ASKS_ALL = PRUNE_ASKERS, ASKERS };

struct pruned_stacks {
    const struct prune_rules *rules; /* NULL: stacks are wanted whole */
    struct {
        VECTOR(uint16_t);
    } traits; /* by spot: TRAIT_..., once it was asked for */
    struct {
        VECTOR(uint8_t);
    } facts; /* by node; 0: it is none of a pruned stack */
    struct {
        VECTOR(uint32_t);
    } nodes, path; /* pruned_of_whole()'s: by node, or 0; a chain of these */
    struct pair_counts steps;       /* nodes, by parent and spot */
    uint32_t alike[XENOPROF_MODES]; /* a node that stands for all guests' of
                                       that mode; 0: none yet */
};

void pruned_init(struct pruned_stacks *pruned, const struct prune_rules *rules);
void pruned_free(struct pruned_stacks *pruned);

/* Returns the node of what was called from another one, which was returned here
 * or is 0, at a spot (0: nothing is known of it): its own spot is the
 * last. */
uint32_t pruned_node(struct pruned_stacks *pruned, struct loaded *loaded,
                     uint32_t parent, uint32_t spot);

/* Returns the same for a node of a whole stack. */
uint32_t pruned_of_whole(struct pruned_stacks *pruned, struct loaded *loaded,
                         uint32_t node);

/* Asks for the memory that pruned_node() needs for these. */
static inline void pruned_expect(const struct pruned_stacks *pruned,
                                 uint32_t parent, uint32_t spot)
{
    pair_expect(&pruned->steps, pair_of(parent, spot));
}

/* The chains of a sample, for each that may ask.  Those that a sample has are
 * from pruned_node(). */
struct pruned_chains {
    uint32_t nodes[PRUNE_ASKERS][XENOPROF_CHAINS];
};
struct pruned_chains pruned_chains(struct pruned_stacks *pruned,
                                   const uint32_t nodes[XENOPROF_CHAINS]);

/* Which one samples of a domain (an index into loaded.domains) are. */
enum prune_asker prune_asker(const struct pruned_stacks *pruned,
                             const struct loaded *loaded,
                             const struct xenoprof_who *who, uint32_t domain);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maple tree of a process's areas (Linux 6.1 and later, upstream
 * 54a611b60590).  A word that leads to a node has the node's sort in its lower
 * bits; each node has a row of words, and the last address of each but the
 * last.
 */
#ifndef XENOPROF_GUEST_LINUX_TASKS_AREA_TREE_H
#define XENOPROF_GUEST_LINUX_TASKS_AREA_TREE_H

#include "guest/memory.h"
#include "kernel-layout.h"

/* Nodes of one tree that are read. */
#define AREA_NODES_MAX 1024u

/* Who is told of entries: addresses in the kernel half, GUEST_PIECES_MAX at
 * most at a time, by what they stand for.  take returns false to end the
 * walk. */
struct area_taker {
    bool (*take)(void *self, const uint64_t *addresses, size_t count);
    void *self;
};

/* Walks over all that is below the word that is a tree's root.  Returns
 * false if what is there is no tree, or the walk was ended; one that has too
 * many nodes is walked in part. */
bool area_tree_walk(const struct kernel_layout *layout,
                    struct guest_memory *memory, uint64_t root,
                    const struct area_taker *taker);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places and stacks of a session that is copied, by their numbers; and
 * chains of anything, of which equal ones have one number. */
#ifndef XENOPROF_REPORT_MERGE_MERGE_STACKS_H
#define XENOPROF_REPORT_MERGE_MERGE_STACKS_H

#include "base/names.h"
#include "base/table.h"
#include "base/vector.h"

#include <libxenoprof.h>

struct merge_frame {
    uint64_t address;
    uint16_t domain;
    uint8_t mode;
    bool named;    /* its symbol is known */
    uint32_t file; /* of merge_stacks.files, that address is of; 0: none is
                      known, and it is the process's */
};

struct merge_stack {
    size_t at, count; /* frames */
};

struct merge_stacks {
    struct names files;
    struct {
        VECTOR(struct merge_frame);
    } places; /* by number less 1 */
    struct {
        VECTOR(struct merge_stack);
    } stacks; /* the same */
    struct {
        VECTOR(uint32_t);
    } frames; /* numbers of places */
};

void merge_stacks_init(struct merge_stacks *stacks);
/* Takes an item if it is a place or a stack.  Returns whether a number that it
 * has meant something else before. */
bool merge_stacks_take(struct merge_stacks *stacks,
                       const struct xenoprof_item *item);
/* Returns the places of a sample, leaf first, and how many there are. */
const uint32_t *merge_stacks_of(const struct merge_stacks *stacks,
                                const struct xenoprof_stored *sample,
                                size_t *count);
/* Returns a place, or one of nobody's. */
struct merge_frame merge_stacks_place(const struct merge_stacks *stacks,
                                      uint32_t number);
void merge_stacks_free(struct merge_stacks *stacks);

/* Chains by their leaf: 0 is that of no frame. */
struct merge_chains {
    struct table nodes;
};

void merge_chains_init(struct merge_chains *chains);
void merge_chains_free(struct merge_chains *chains);
/* Returns the number of the chain that has one more leaf. */
uint32_t merge_chains_add(struct merge_chains *chains, uint32_t callers,
                          uint64_t leaf);
/* Returns the leaf of a chain that is not 0; *callers is what is below it. */
uint64_t merge_chains_leaf(const struct merge_chains *chains, uint32_t chain,
                           uint32_t *callers);

#endif

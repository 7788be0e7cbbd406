/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a sample: where they are in a view, and how long.
 */
#ifndef XENOPROF_LIBXENOPROF_RECORD_PARTS_H
#define XENOPROF_LIBXENOPROF_RECORD_PARTS_H

#include <stddef.h>
#include <stdint.h>

#include "libxenoprof.h"

/* What follows the structure of a part. */
enum part_tail {
    PART_TAIL_NOTHING,
    PART_TAIL_ADDRESSES, /* the structure is a xenoprof_chain */
    PART_TAIL_BYTES      /* the structure is a xenoprof_window */
};

struct record_part {
    uint16_t bit;    /* enum xenoprof_part */
    uint16_t member; /* offset in struct xenoprof_view */
    uint16_t size;   /* bytes of the structure */
    enum part_tail tail;
};

enum {
    RECORD_PARTS = 0
#define XENOPROF_PART(bit, NAME, name, member, structure, tail, stacks, text) +1
#include <xenoprof/record-parts.def>
#undef XENOPROF_PART
};

/* In the order in which a sample has them. */
extern const struct record_part record_parts[RECORD_PARTS];

/* Returns the part's structure, or NULL if the view lacks the part. */
const void *record_part_get(const struct record_part *part,
                            const struct xenoprof_view *view);
void record_part_put(const struct record_part *part, struct xenoprof_view *view,
                     const void *structure);
/* Returns the bytes that follow the structure, without padding. */
size_t record_part_tail(const struct record_part *part, const void *structure);

/* Returns the bytes that so many take in a record. */
static inline size_t record_padded(size_t size)
{
    return (size + 7) & ~(size_t)7;
}

/* Indexed by value; NULL-terminated. */
extern const char *const mode_names[];
extern const char *const cause_names[];

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The code of a process: what is mapped where, and the rows of each image. */
#ifndef XENOPROF_ROWS_USER_SPACE_H
#define XENOPROF_ROWS_USER_SPACE_H

#include "row-table.h"

#define USER_MAPPINGS_MAX 65536u
#define USER_SPACE_END    (1ull << 56) /* the lower half, with five levels */

/* A piece of executable memory. */
struct user_mapping {
    uint64_t start, end;
    uint64_t bias; /* address in the process - address in the image */
    const struct row_table *rows; /* NULL: none, as of a JIT's code */
};

struct user_space {
    uint64_t number; /* no other space of this process ever has it */
    size_t count;
    struct user_mapping mapping[];
};

/* A mapping of the image from this place in its file on.  Returns false, and
 * the mapping has no rows, if that is not in any code of the image. */
bool user_mapping_bind(struct user_mapping *mapping,
                       const struct row_table *rows, uint64_t file_offset);

/* Returns a space of a copy of these mappings, whose rows must stay as long as
 * it does; or NULL if they are not sorted, overlap, leave the lower half of
 * addresses, or there is no memory. */
struct user_space *user_space_open(const struct user_mapping *mappings,
                                   size_t count);
/* The same of a kernel, whose code may lie anywhere. */
struct user_space *user_space_of_kernel(const struct user_mapping *mappings,
                                        size_t count);
/* Takes NULL. */
void user_space_close(struct user_space *space);

/* Returns the mapping of an address, or NULL. */
const struct user_mapping *user_space_find(const struct user_space *space,
                                           uint64_t address);

#endif

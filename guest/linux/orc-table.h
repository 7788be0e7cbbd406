/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How a table of ORC rows lies in memory; for orc*.c only. */
#ifndef XENOPROF_GUEST_LINUX_ORC_TABLE_H
#define XENOPROF_GUEST_LINUX_ORC_TABLE_H

#include "orc.h"
#include "orc-rows.h"

#define ORC_COUNT_MAX (1u << 22)
#define ORC_SHIFT_MIN 6u
#define ORC_SHIFT_MAX 16u /* what an offset in a block can say */

struct orc_place {
    uint16_t offset;
    uint16_t number;
};

/* What addresses were found to have: those of stacks repeat.  The table of a
 * module, of fewer places than FROM, is searched as fast, and remembers one. */
#define ORC_LATELY_MANY 256u
#define ORC_LATELY_FROM 4096u

struct orc_lately {
    uint64_t address;
    const struct unwind_row *row; /* NULL: of none yet */
};

struct orc_table {
    uint64_t base; /* of the first block */
    uint32_t blocks;
    uint32_t shift;
    uint32_t count;  /* places */
    uint32_t given;  /* rows it was made of */
    uint32_t *first; /* of each block's places, and one behind the last */
    struct orc_place *places; /* in order of address */
    struct orc_rows *rows;
    struct orc_lately *lately; /* by a part of the address: */
    uint32_t lately_mask;      /* how many, less 1 */
    bool borrowed;             /* first and places are somebody else's */
};

/* All else of the table is there: it can be searched from now on.  Returns
 * false if there is no memory. */
bool orc_begin(struct orc_table *table);

#endif

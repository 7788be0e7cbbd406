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

struct orc_table {
    uint64_t base; /* of the first block */
    uint32_t blocks;
    uint32_t shift;
    uint32_t count;  /* places */
    uint32_t given;  /* rows it was made of */
    uint32_t *first; /* of each block's places, and one behind the last */
    struct orc_place *places; /* in order of address */
    struct orc_rows *rows;
    bool borrowed; /* first and places are somebody else's */
};

#endif

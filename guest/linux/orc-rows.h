/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The different entries of an ORC table: a kernel's half a million are some
 * hundreds of them.  Only orc*.c needs this.
 */
#ifndef XENOPROF_GUEST_LINUX_ORC_ROWS_H
#define XENOPROF_GUEST_LINUX_ORC_ROWS_H

#include "orc-layout.h"

#define ORC_ROWS_MAX 16384u

struct orc_rows {
    uint32_t count;
    enum orc_layout layout;
    struct orc_row rows[];
};

/*
 * The different ones of count entries, decoded; the number of the one that
 * each entry is goes into numbers.  layout as in orc_open().  NULL: no
 * memory, or it is no table.  The caller frees it with free().
 */
struct orc_rows *orc_rows_make(const uint8_t *entries, size_t count,
                               enum orc_layout layout, uint16_t *numbers);

#endif

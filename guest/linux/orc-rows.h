/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The different entries of an ORC table: the half a million of a kernel are
 * some hundreds of them.
 */
#ifndef XENOPROF_GUEST_LINUX_ORC_ROWS_H
#define XENOPROF_GUEST_LINUX_ORC_ROWS_H

#include "orc-layout.h"

#define ORC_ROWS_MAX 16384u

struct orc_rows {
    uint32_t count;
    enum orc_layout layout;
    struct unwind_row rows[];
};

/*
 * Returns the different ones of count entries, decoded, which the caller frees
 * with free(), and in numbers which of them each entry is; or NULL if there is
 * no memory or it is not a table.  layout is as in orc_open().
 */
struct orc_rows *orc_rows_make(const uint8_t *entries, size_t count,
                               enum orc_layout layout, uint16_t *numbers);

#endif

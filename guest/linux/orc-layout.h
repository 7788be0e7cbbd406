/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One entry of an ORC table, in one of its layouts; only orc*.c needs it. */
#ifndef XENOPROF_GUEST_LINUX_ORC_LAYOUT_H
#define XENOPROF_GUEST_LINUX_ORC_LAYOUT_H

#include "orc.h"

#define ORC_ENTRY_SIZE 6u

/* False: it is no entry of that layout, *ret is UNDEFINED.  layout is not
 * ORC_LAYOUT_UNKNOWN. */
bool orc_decode(enum orc_layout layout, const uint8_t *entry,
                struct orc_row *ret);

#endif

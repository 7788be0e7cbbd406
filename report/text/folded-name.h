/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_REPORT_TEXT_FOLDED_NAME_H
#define XENOPROF_REPORT_TEXT_FOLDED_NAME_H

#include "report/model/stacks.h"

/* A name that cannot be taken for something else in a folded stack, with suffix
 * behind it: ';' becomes ':', and each byte of a control character, of one that
 * only changes how others are shown, or of none at all (no UTF-8) '?'.  Blanks
 * stay: the count is behind the last one.  The same in all locales.
 * malloc'ed. */
char *folded_name(const char *name, const char *suffix);

/* A frame's symbol as such a name: "get_page_[x]" in Xen, "vfs_read_[k]" in a
 * kernel.  malloc'ed. */
char *folded_frame_name(const char *symbol, const struct frame_key *key);

#endif

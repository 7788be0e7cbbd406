/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux's ORC tables: for each instruction of a kernel, where its caller's
 * frame lies.  They come from a guest's memory or from a file, so every access
 * is bounded and every value is checked.
 */
#ifndef XENOPROF_GUEST_LINUX_ORC_H
#define XENOPROF_GUEST_LINUX_ORC_H

#include "base/flat.h"
#include "orc-layout.h"

struct orc_table;

/*
 * Makes a table of count entries, of which what is needed is copied.  ips are
 * 32-bit offsets, each from where it lies itself, the first at ips_address.
 * If they are not sorted, they are sorted: a kernel sorts its own when it boots
 * before Linux commit 57fa18994285 ("scripts/sorttable: Implement build-time
 * ORC unwind table sorting") (v5.6), and a module's when it loads.
 *
 * layout is what the version or the header says.  If the rows contradict it
 * (vendors take newer code into older kernels), or it is UNKNOWN, the rows
 * decide.  The table of a module has too few of them to decide: give the
 * layout of its kernel, orc_layout().
 *
 * Returns NULL if there is no memory or it is not such a table: empty, far too
 * long, or one row of 64 is not one in any layout.  If fewer are bad, those
 * become ROW_UNDEFINED.
 */
struct orc_table *orc_open(const int32_t *ips, const void *rows, size_t count,
                           uint64_t ips_address, enum orc_layout layout);
/* Takes NULL. */
void orc_close(struct orc_table *table);

/* Returns whether the table has a row for address, which counts from the same
 * base as ips_address; the row is in *ret.  The table remembers it: it is one
 * thread's at a time. */
bool orc_find(const struct orc_table *table, uint64_t address,
              struct unwind_row *ret);
/* Entries that it was made of. */
size_t orc_count(const struct orc_table *table);
/* The layout that was found right. */
enum orc_layout orc_layout(const struct orc_table *table);

/* Appends the table to flat ones.  Returns false if there is no memory. */
bool orc_put(const struct orc_table *table, struct buffer *to);
/* Returns the next flat table, whose bytes it uses where they lie; or NULL if
 * that is not a table, or there is no memory. */
struct orc_table *orc_get(struct cursor *from);

/* Bytes of memory that it takes. */
size_t orc_size(const struct orc_table *table);

#endif

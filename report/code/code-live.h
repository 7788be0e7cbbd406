/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel that runs here: its code as it is now, patches and all.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_LIVE_H
#define XENOPROF_REPORT_CODE_CODE_LIVE_H

#include <libxenoprof.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live;

/* Whether the system runs since the boot of that id; root as for
 * live_open(). */
bool live_is(const char *root, const char *boot);

/* NULL: who asks may not read it, or there is no memory.  root goes before
 * /proc. */
struct live *live_open(const char *root);
void live_close(struct live *live); /* may be NULL */

/* False: no symbol covers address. */
bool live_symbol(const struct live *live, uint64_t address,
                 struct xenoprof_symbol *ret);
/* Returns how many bytes from address on could be read. */
size_t live_read(const struct live *live, uint64_t address, uint8_t *to,
                 size_t size);

#endif

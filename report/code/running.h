/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What runs on this host now: dom0's kernel, patches included, and the symbols
 * of Xen, whose image in /boot has none.
 */
#ifndef XENOPROF_REPORT_CODE_RUNNING_H
#define XENOPROF_REPORT_CODE_RUNNING_H

#include "code-symbols.h"

#include <libxenoprof.h>

struct running_kernel;

/* Returns whether this system has that boot id.  In all of this, root goes
 * before /proc and /sys. */
bool running_is(const char *root, const char *boot);

/* Returns NULL if the caller may not read the kernel's memory. */
struct running_kernel *running_open(const char *root);
void running_close(struct running_kernel *kernel); /* may be NULL */

/* Returns true, or false if no symbol covers address. */
bool running_symbol(const struct running_kernel *kernel, uint64_t address,
                    struct xenoprof_symbol *ret);
/* Returns how many bytes from address on could be read. */
size_t running_read(const struct running_kernel *kernel, uint64_t address,
                    uint8_t *to, size_t size);

/* From the addresses of Xen's image, as boot loaders see it, to Xen's own. */
#define XEN_BOOT_SHIFT 0xffff82d040000000ull

/* The symbols of Xen with the image's addresses; none if another build runs, or
 * if the caller may not read them.  code_symbols_free() in any case. */
void xen_own_symbols(const char *root, const char *build_id,
                     struct code_symbols *ret);

#endif

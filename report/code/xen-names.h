/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running Xen's own names, for its image in /boot, which has none.
 */
#ifndef XENOPROF_REPORT_CODE_XEN_NAMES_H
#define XENOPROF_REPORT_CODE_XEN_NAMES_H

#include "code-symbols.h"

/* From the addresses of that image, as boot loaders see it, to Xen's own. */
#define XEN_BOOT_SHIFT 0xffff82d040000000ull

/* As that image counts.  None if another build runs, or if who asks may not
 * read them; false if there is no memory.  root goes before /proc and /sys.
 * code_symbols_free() in any case. */
bool xen_names(const char *root, const char *build_id,
               struct code_symbols *ret);

#endif

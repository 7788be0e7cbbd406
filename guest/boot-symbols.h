/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of symbols that lies in a hypervisor's constants, from which it
 * prints /proc/xen/xensyms.  A boot file has no other.
 */
#ifndef XENOPROF_GUEST_BOOT_SYMBOLS_H
#define XENOPROF_GUEST_BOOT_SYMBOLS_H

#include "base/buffer.h"

/* Where _stext is since 4.11. */
#define BOOT_TEXT 0xffff82d040200000u

/*
 * Finds the table in the bytes of a hypervisor, and appends its symbols to
 * text, lines of `ffff82d040200000 t path#name`.  Returns 0; -ENODATA if there
 * is no table, or one of a shape that is not known; or -ENOMEM.
 */
int boot_symbols_read(const uint8_t *bytes, size_t size, struct buffer *text);

#endif /* XENOPROF_GUEST_BOOT_SYMBOLS_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_MODULE_ASSEMBLE_SYMBOLS_H
#define XENOPROF_MODULE_ASSEMBLE_SYMBOLS_H

#include <gelf.h>

#include "xen-image.h"

/*
 * Give each symbol of the object the name that Xen's loader wants: imports
 * the spelling of the running hypervisor, our own a prefix that nothing in
 * Xen has, optional imports that are missing the value 0, and a missing
 * return thunk the object's own.  *strings is the new string table, malloc'ed;
 * it must outlive elf_update().
 *
 * Returns 0, -ENOMEM, -ENOEXEC (no symbol table), or -ENOENT with the name of
 * the missing symbol in missing.
 */
int assemble_symbols(Elf *elf, const struct xen_image *image, char **strings,
                     char missing[128]);

#endif

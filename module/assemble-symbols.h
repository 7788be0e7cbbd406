/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_MODULE_ASSEMBLE_SYMBOLS_H
#define XENOPROF_MODULE_ASSEMBLE_SYMBOLS_H

#include <gelf.h>

#include "xen-image.h"

/*
 * Renames each symbol of the object: imports get the spelling of the running
 * hypervisor, our own symbols a prefix that nothing in Xen has.  Missing
 * imports that are optional become 0, the label behind STGI guest_exit (0: not
 * known), and a missing thunk the object's own.  *strings is the new
 * string table, malloc'ed; it must outlive elf_update().
 *
 * Returns 0, -ENOMEM, -ENOEXEC if there is no symbol table, or -ENOENT with the
 * name of the missing symbol in missing.
 */
int assemble_symbols(Elf *elf, const struct xen_image *image,
                     uint64_t guest_exit, char **strings, char missing[128]);

/* What that label is called then. */
#define ASSEMBLE_GUEST_EXIT "xenoprof.at-svm_stgi_label"

#endif

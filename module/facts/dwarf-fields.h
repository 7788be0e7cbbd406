/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts out of the debug information of a xen-syms file. */
#ifndef XENOPROF_MODULE_FACTS_DWARF_FIELDS_H
#define XENOPROF_MODULE_FACTS_DWARF_FIELDS_H

#include "evidence.h"

/*
 * Adds what the file says, nothing if it has no DWARF.  Returns 0, -errno of
 * opening it, or -ENOMEM.
 */
int facts_read_dwarf(const char *path, struct facts_evidence *evidence);

#endif /* XENOPROF_MODULE_FACTS_DWARF_FIELDS_H */

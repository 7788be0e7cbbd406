/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts from the debug information of a xen-syms file. */
#ifndef XENOPROF_MODULE_FACTS_DWARF_FIELDS_H
#define XENOPROF_MODULE_FACTS_DWARF_FIELDS_H

#include "evidence.h"

/* Adds a statement for each fact that the file has, none if it has no DWARF.
 * Returns 0, -errno of opening it, or -ENOMEM. */
int facts_read_dwarf(const char *path, struct facts_evidence *evidence);

#endif /* XENOPROF_MODULE_FACTS_DWARF_FIELDS_H */

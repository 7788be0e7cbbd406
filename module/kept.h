/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Looks at a kept module before it is loaded: are its bytes as they were
 * written (trailer.h), and are they, one by one, what this xenoprof makes of
 * the installed object?  Only what is found in Xen's code is taken from the
 * file: facts, unwind table, where the runs of AMD's guests end.  The module in
 * Xen checks that itself.
 */
#ifndef XENOPROF_MODULE_KEPT_H
#define XENOPROF_MODULE_KEPT_H

#include "assemble.h"

#include <stdbool.h>

/*
 * order is that of a module that would be made now, without those three;
 * its output is a file for our use, which is removed.  Returns NULL, or what is
 * wrong with the file at path, as the end of a sentence that it begins.
 */
const char *kept_flaw(const char *path, const struct assemble_order *order);

/* Takes the facts of a kept module.  Returns false if it has none. */
bool kept_facts(const char *path, struct xenoprof_facts *ret);

/* Returns whether the bytes before a trailer are what order makes of the facts
 * and the table in them. */
bool kept_is_ours(const void *bytes, size_t size,
                  const struct assemble_order *order);

#endif

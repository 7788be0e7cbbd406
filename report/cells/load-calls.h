/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_REPORT_CELLS_LOAD_CALLS_H
#define XENOPROF_REPORT_CELLS_LOAD_CALLS_H

#include "loader.h"

/* Looks at the calls of a file so far, count of them, of which calls[] has
 * those from first on, and all that are not known yet: loader->calls has all of
 * them then.  Places of one function are one here, so what is held grows with
 * the stacks by name. */
void load_calls(struct loader *loader, const struct xenoprof_call *calls,
                size_t first, size_t count);
/* Returns how many of the file loader->calls has. */
size_t load_calls_known(const struct loader *loader);

#endif

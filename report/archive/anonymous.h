/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session without its names: those of domains, the host, threads, programs,
 * cgroups and of processes' code become made-up ones, by a hash whose random
 * key nobody keeps, so that one name is one other name in all that a program
 * writes.  Names of Xen, of kernels and of public libraries stay, and so do
 * their code and the source of it.
 */
#ifndef XENOPROF_REPORT_ARCHIVE_ANONYMOUS_H
#define XENOPROF_REPORT_ARCHIVE_ANONYMOUS_H

#include "libxenoprof/libxenoprof.h"

/* "x" and digits: no word with two letters is in it. */
#define ALIAS_SIZE 14u

#define ALIAS_TEXTS 2u /* of an item */

struct anonymous {
    struct xenoprof_item item;
    char *texts[ALIAS_TEXTS]; /* of the item; malloc'ed */
};

/* Returns the item without names, good until the next call, or NULL if nothing
 * is to be said.  All zeroes before the first call; anonymous_free() after the
 * last. */
const struct xenoprof_item *anonymous_item(struct anonymous *anonymous,
                                           const struct xenoprof_item *item);
void anonymous_free(struct anonymous *anonymous);

#endif

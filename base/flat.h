/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays one after another in one piece of memory, each at a multiple of 8:
 * written once, then used where they lie.
 */
#ifndef XENOPROF_BASE_FLAT_H
#define XENOPROF_BASE_FLAT_H

#include "buffer.h"

/* Appends an array.  Returns false if there is no memory.  Elements have no
 * padding that is not zero, so that equal contents make equal bytes. */
bool flat_put(struct buffer *to, const void *items, size_t count, size_t size);

/* Returns the next array, of count elements, or NULL, and from is bad, if
 * there are not so many bytes.  from began at a multiple of 8. */
const void *flat_get(struct cursor *from, size_t count, size_t size);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of our own module, as it will run, out of its object. */
#ifndef XENOPROF_MODULE_UNWIND_OWN_TEXT_H
#define XENOPROF_MODULE_UNWIND_OWN_TEXT_H

#include "module/xen-image.h"
#include "listing.h"

/* Where the text is taken to lie: within reach of Xen's, and behind it. */
#define OWN_TEXT_ADDRESS 0xffff82d070000000ull

struct own_text {
    struct listing_text text; /* relocated */
    uint8_t *bytes;
    struct listing_symbol *symbols;
    size_t symbol_count;
    char *names;
};

/*
 * Reads an object whose calls go to functions of its own, or of image.
 * Returns 0, -errno of reading, -ENOMEM, or -ENOEXEC: not an object whose code
 * is all in .text.  After a failure there is nothing to close.
 */
int own_text_open(struct own_text *own, const char *path,
                  const struct xen_image *image);

void own_text_close(struct own_text *own);

/*
 * Symbols in the text of an image, then those of our own object (NULL: none),
 * which lies behind it; by address.  *symbols is malloc'ed, the names are the
 * image's and the object's.  Returns 0 or -ENOMEM.
 */
int listing_symbols(const struct xen_image *image, const struct own_text *own,
                    struct listing_symbol **symbols, size_t *count);

#endif

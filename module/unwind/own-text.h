/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of the module object, relocated as it will run. */
#ifndef XENOPROF_MODULE_UNWIND_OWN_TEXT_H
#define XENOPROF_MODULE_UNWIND_OWN_TEXT_H

#include "module/xen-image.h"
#include "listing.h"

/* The text's assumed address: within reach of Xen's, and behind it. */
#define OWN_TEXT_ADDRESS 0xffff82d070000000ull

struct own_text {
    struct listing_text text; /* relocated */
    uint8_t *bytes;
    struct listing_symbol *symbols;
    size_t symbol_count;
    char *names;
};

/*
 * Reads an object whose calls go to functions of its own or of image.  Returns
 * 0, -errno of reading, -ENOMEM, or -ENOEXEC if it is not an object with all
 * its code in .text.  After a failure there is nothing to close.
 */
int own_text_open(struct own_text *own, const char *path,
                  const struct xen_image *image);

void own_text_close(struct own_text *own);

/*
 * Lists the symbols in the text of an image, then those of our own text (or
 * NULL), which lies behind it, by address.  *symbols is malloc'ed; the names
 * belong to the image and the own text.  Returns 0 or -ENOMEM.
 */
int listing_symbols(const struct xen_image *image, const struct own_text *own,
                    struct listing_symbol **symbols, size_t *count);

#endif

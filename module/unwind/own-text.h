/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of our own module, as it will run, out of its object. */
#ifndef XENOPROF_MODULE_UNWIND_OWN_TEXT_H
#define XENOPROF_MODULE_UNWIND_OWN_TEXT_H

#include "module/xen-image.h"
#include "listing.h"

/* Where the text is taken to lie: within reach of Xen's, and behind it. */
#define UNWIND_OBJECT_ADDRESS 0xffff82d070000000ull

struct unwind_object {
    struct unwind_code_text text; /* relocated */
    uint8_t *bytes;
    struct unwind_symbol *symbols;
    size_t symbol_count;
    char *names;
};

/*
 * Reads an object whose calls go to functions of its own, or of image.
 * Returns 0, -errno of reading, -ENOMEM, or -ENOEXEC: not an object whose code
 * is all in .text.  After a failure there is nothing to close.
 */
int unwind_object_open(struct unwind_object *object, const char *path,
                       const struct hypervisor_image *image);

void unwind_object_close(struct unwind_object *object);

/*
 * Symbols in the text of an image, then those of our own object (NULL: none),
 * which lies behind it; by address.  *symbols is malloc'ed, the names are the
 * image's and the object's.  Returns 0 or -ENOMEM.
 */
int unwind_symbols(const struct hypervisor_image *image,
                   const struct unwind_object *object,
                   struct unwind_symbol **symbols, size_t *count);

#endif

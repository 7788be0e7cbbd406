/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_MODULE_UNWIND_UNWIND_SYMBOLS_H
#define XENOPROF_MODULE_UNWIND_UNWIND_SYMBOLS_H

#include "module/image.h"
#include "unwind-code.h"
#include "unwind-object.h"

/*
 * Symbols in the text of an image, then those of our own object (NULL: none),
 * which lies behind it; by address.  *symbols is malloc'ed, the names are the
 * image's and the object's.  Returns 0 or -ENOMEM.
 */
int unwind_symbols(const struct hypervisor_image *image,
                   const struct unwind_object *object,
                   struct unwind_symbol **symbols, size_t *count);

#endif

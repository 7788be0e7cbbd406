/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completes a module object for one hypervisor: spells its symbols as that
 * hypervisor does, and fills in its notes, facts and unwind table.  No compiler
 * or linker is needed; the result is what Xen's livepatch loader takes.
 */
#ifndef XENOPROF_MODULE_ASSEMBLE_H
#define XENOPROF_MODULE_ASSEMBLE_H

#include "xen-image.h"

#include <xenoprof/facts.h>
#include <xenoprof/unwind.h>

struct build_id {
    uint8_t bytes[XEN_IMAGE_BUILD_ID_MAX];
    size_t size;
};

struct assemble_order {
    const char *object;            /* the object, as installed */
    const char *output;            /* file to write; replaced if it is there */
    const struct xen_image *image; /* for its symbols */
    struct build_id xen;           /* the hypervisor's */
    struct build_id own;           /* the payload's */
    struct build_id depends;       /* the payload's base */
    const struct xenoprof_facts *facts;   /* NULL: the object has none */
    const struct xenoprof_unwind *unwind; /* likewise */
    uint64_t guest_exit; /* guest_exit_find(), for an image without a symbol
                            there; 0: not known */
};

#define ASSEMBLE_ERROR_MAX 320

/*
 * Returns 0, -ENOENT if the hypervisor lacks a symbol or several files have it,
 * -ENOEXEC if the object is not a module object, or -errno of reading or
 * writing.  After a failure error has one sentence, and output is removed.
 */
int assemble(const struct assemble_order *order,
             char error[ASSEMBLE_ERROR_MAX]);

#endif

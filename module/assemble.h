/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Completes a module object for one hypervisor: its symbols spelled as that
 * hypervisor spells them, its notes, facts and unwind table filled in.  No
 * compiler or linker is needed; the result is what Xen's livepatch loader
 * takes.
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
    const char *object;            /* file that the build made */
    const char *output;            /* file to write; replaced if it is there */
    const struct xen_image *image; /* for its symbols */
    struct build_id xen;           /* the hypervisor's */
    struct build_id own;           /* the payload's */
    struct build_id depends;       /* what it is applied on */
    const struct xenoprof_facts *facts;   /* NULL: the object has none */
    const struct xenoprof_unwind *unwind; /* likewise */
};

#define ASSEMBLE_ERROR_MAX 320

/*
 * Returns 0; -ENOENT: the hypervisor lacks a symbol, or several files have it;
 * -ENOEXEC: the object is no module object; or -errno of reading or writing.
 * error says in one sentence what is wrong.  Nothing is left of output after
 * a failure.
 */
int assemble(const struct assemble_order *order,
             char error[ASSEMBLE_ERROR_MAX]);

#endif

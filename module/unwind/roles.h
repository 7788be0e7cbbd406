/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which instructions are what: found by Xen's symbols and side tables. */
#ifndef XENOPROF_MODULE_UNWIND_ROLES_H
#define XENOPROF_MODULE_UNWIND_ROLES_H

#include "module/xen-image.h"
#include "listing.h"

/* An instruction that faults goes on elsewhere (Xen's exception table). */
struct unwind_fixup {
    uint32_t insn;
    uint32_t to;
};

struct unwind_fixups {
    struct unwind_fixup *list; /* by insn */
    size_t count;
};

/*
 * Sets marks from symbols, and from the tables in image's constants if they
 * are there.  fixups->list is malloc'ed.  Returns 0 or -ENOMEM.
 */
int unwind_assign_roles(struct listing *listing, const struct xen_image *image,
                        struct unwind_fixups *fixups);

#endif

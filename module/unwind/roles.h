/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Assigns roles to instructions, by Xen's symbols and side tables. */
#ifndef XENOPROF_MODULE_UNWIND_ROLES_H
#define XENOPROF_MODULE_UNWIND_ROLES_H

#include "module/xen-image.h"
#include "listing.h"

/* Where an instruction goes on if it faults (Xen's exception table). */
struct unwind_fixup {
    uint32_t insn;
    uint32_t to;
};

struct unwind_fixups {
    struct unwind_fixup *list; /* by insn */
    size_t count;
};

/* Sets roles from symbols, and from the tables in image's constants if it has
 * any. fixups->list is malloc'ed.  Returns 0 or -ENOMEM. */
int unwind_assign_roles(struct listing *listing, const struct xen_image *image,
                        struct unwind_fixups *fixups);

#endif

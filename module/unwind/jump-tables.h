/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where switch statements go.  Compilers make jump tables of them where neither
 * retpolines nor indirect branch tracking keep them from it
 * (CONFIG_INDIRECT_THUNK=n and CONFIG_XEN_IBT=n).
 */
#ifndef XENOPROF_MODULE_UNWIND_JUMP_TABLES_H
#define XENOPROF_MODULE_UNWIND_JUMP_TABLES_H

#include "listing.h"
#include "module/xen-image.h"

struct jump_case {
    uint64_t insn; /* the jump */
    uint32_t to;
};

struct jump_tables {
    VECTOR(struct jump_case); /* by insn */
};

/* Finds the cases of all jumps, in tables among these constants.  Returns 0 or
 * -ENOMEM; free *ret, which begins empty, in either case. */
int jump_tables_find(const struct listing *listing,
                     const struct xen_range *constants,
                     struct jump_tables *ret);

void jump_tables_free(struct jump_tables *tables);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a kernel's structures have their members, as its type information says:
 * what kernel-members.def asks for.
 *
 * Areas of memory are the leaves of a maple tree since Linux 6.1 (upstream
 * d4af56c5c7c6, "mm: start tracking VMAs with maple tree"; 763ecb035029 removed
 * the list), and a list before.
 */
#ifndef XENOPROF_GUEST_LINUX_TASKS_KERNEL_LAYOUT_H
#define XENOPROF_GUEST_LINUX_TASKS_KERNEL_LAYOUT_H

#include "guest/btf/btf-find.h"

/* What needs members.  Of each, all that it needs is known, or nothing. */
enum kernel_group {
    FOR_WAY = 0,
    FOR_TASKS = 1u << 0,     /* a list of tasks */
    FOR_HOT = 1u << 1,       /* the current task, where pcpu_hot has it */
    FOR_ISOLATION = 1u << 2, /* whether page tables are isolated */
    FOR_ORIGINS = 1u << 3,   /* a thread's program and cgroup */
    FOR_LIST = 1u << 4,      /* what is mapped, if areas are a list */
    FOR_TREE = 1u << 5,      /* the same, if they are a maple tree */
    FOR_PAGES = 1u << 6,     /* what of a file is in memory */
    FOR_AREAS = FOR_LIST | FOR_TREE,
    FOR_ALL = (1u << 7) - 1
};

enum kernel_type {
#define TYPE(NAME, how) TYPE_##NAME,
#define MEMBER(groups, NAME, IN, bytes, ...)
#include "kernel-members.def"
#undef TYPE
#undef MEMBER
    KERNEL_TYPES
};

enum kernel_member {
#define TYPE(NAME, how)
#define MEMBER(groups, NAME, IN, bytes, ...) MEMBER_##NAME,
#include "kernel-members.def"
#undef TYPE
#undef MEMBER
    KERNEL_MEMBERS
};

/* Numbers of 32 bits, without padding. */
struct kernel_layout {
    uint32_t known;              /* groups; what none of them needs is 0 */
    uint32_t page_bytes;         /* of a struct page */
    uint32_t at[KERNEL_MEMBERS]; /* each in bytes of its structure */
};

#define MEMBER_OFFSET_MAX 65536u
/* Page tables are isolated: which word of a processor's features says it, in
 * bytes, and which bit of that (X86_FEATURE_PTI, 7 * 32 + 11). */
#define ISOLATION_WORD_AT 28u
#define ISOLATION_BIT     (1u << 11)
/* At most, of struct vm_area_struct. */
#define AREA_BYTES_MAX 512u
/* Nodes have so many bytes, and lie at multiples of them. */
#define MAPLE_NODE_BYTES  256u
#define MAPLE_RANGE_SLOTS 16u
#define MAPLE_GAPS_SLOTS  10u

/* Asks for types.  groups: those that the kernel may have, since all types are
 * looked at for one that it has not. */
void kernel_layout_want(struct btf_wanted types[KERNEL_TYPES], uint32_t groups);
/* Takes those that were found, and follows members to the others. */
void kernel_layout_read(struct btf *btf, struct btf_wanted types[KERNEL_TYPES],
                        struct kernel_layout *ret);

/* Returns whether a layout that another process wrote may be used: what is read
 * of an area or a node lies in it. */
bool kernel_layout_is_sound(const struct kernel_layout *layout);

/* Returns the bytes of an area, from its start on, that are read. */
uint32_t kernel_area_bytes(const struct kernel_layout *layout);

/* Where a node of a maple tree has what, in bytes of it. */
struct maple_form {
    uint32_t slots, pivots, end;
    uint32_t count; /* of slots */
};

/* gaps: of nodes that know gaps; else of leaves, and of others. */
struct maple_form maple_form_of(const struct kernel_layout *layout, bool gaps);

#endif

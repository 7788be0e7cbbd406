/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where a kernel has what leads from a task to the areas of its memory, and
 * from these to their files, as its type information says.
 *
 * Areas are the leaves of a maple tree since Linux 6.1 (upstream d4af56c5c7c6,
 * "mm: start tracking VMAs with maple tree"; 763ecb035029 removed the list),
 * and a list before.
 */
#ifndef XENOPROF_GUEST_LINUX_TASKS_MAPPING_LAYOUT_H
#define XENOPROF_GUEST_LINUX_TASKS_MAPPING_LAYOUT_H

#include "guest/btf/btf-find.h"

/* Members whose place is asked for, each in bytes of its structure. */
enum mapping_member {
    MAPPING_TASK_FS, /* task_struct */
    MAPPING_FS_ROOT, /* fs_struct: struct path */
    MAPPING_DENTRY_HASH,
    MAPPING_AREA_START, /* vm_area_struct */
    MAPPING_AREA_END,
    MAPPING_AREA_FLAGS,
    MAPPING_AREA_OFFSET, /* in pages */
    MAPPING_AREA_FILE,
    MAPPING_AREA_MM,
    /* Of kernels that have a list: */
    MAPPING_MM_LIST,
    MAPPING_AREA_NEXT,
    /* Of those that have a tree: */
    MAPPING_MM_TREE,
    MAPPING_TREE_ROOT,
    MAPPING_NODE_RANGE, /* maple_node: as maple_range_64, a leaf or not */
    MAPPING_RANGE_PIVOTS,
    MAPPING_RANGE_SLOTS,
    MAPPING_RANGE_META, /* struct maple_metadata */
    MAPPING_NODE_GAPS,  /* maple_node: as maple_arange_64, which knows gaps */
    MAPPING_GAPS_PIVOTS,
    MAPPING_GAPS_SLOTS,
    MAPPING_GAPS_META,
    MAPPING_META_END, /* a byte */
    MAPPING_MEMBERS
};

enum mapping_sort { MAPPING_UNKNOWN, MAPPING_BY_LIST, MAPPING_BY_TREE };

/* Offsets; numbers of 32 bits, without padding. */
struct mapping_layout {
    uint32_t sort; /* enum mapping_sort; UNKNOWN: the rest is 0 */
    uint32_t at[MAPPING_MEMBERS];
};

/* Nodes have so many bytes, and lie at multiples of them. */
#define MAPLE_NODE_BYTES  256u
#define MAPLE_RANGE_SLOTS 16u
#define MAPLE_GAPS_SLOTS  10u
/* At most, of struct vm_area_struct. */
#define AREA_BYTES_MAX 512u

/* What is wanted of the types beside struct task_struct, in this order. */
enum mapping_struct {
    MAPPING_STRUCT_AREA,
    MAPPING_STRUCT_NODE, /* maple_node */
    MAPPING_STRUCTS
};

/* tree: the kernel has maple trees. */
void mapping_layout_want(struct btf_wanted wanted[MAPPING_STRUCTS], bool tree);
/* Takes what was found, and follows the members of a task. */
void mapping_layout_read(struct btf *btf, const struct btf_wanted *task,
                         const struct btf_wanted wanted[MAPPING_STRUCTS],
                         struct mapping_layout *ret);

/* Returns whether a layout that another process wrote may be used: what is read
 * of an area or a node lies in it. */
bool mapping_layout_is_sound(const struct mapping_layout *layout);

/* Returns the bytes of an area, from its start on, that are read. */
uint32_t mapping_area_bytes(const struct mapping_layout *layout);

#endif

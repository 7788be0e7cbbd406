/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From struct task_struct on, member by member; and nodes, to which no member
 * leads. */
#include "mapping-layout.h"

#include <string.h>

#include "type-members.h"

/* Structures on the way. */
enum mapped_type {
    TYPE_TASK,
    TYPE_AREA,
    TYPE_NODE,
    TYPE_MM,
    TYPE_TREE,
    TYPE_FILE,
    TYPE_PATH,
    TYPE_DENTRY,
    TYPE_FS,
    TYPE_RANGE,
    TYPE_GAPS,
    TYPE_META,
    TYPES
};

/* What a member of another one is, or points to; those before come first. */
static const struct {
    enum mapped_type from;
    const char *member;
} leads[TYPES] = {
    [TYPE_MM] = {TYPE_TASK, "mm"},         [TYPE_TREE] = {TYPE_MM, "mm_mt"},
    [TYPE_FILE] = {TYPE_MM, "exe_file"},   [TYPE_PATH] = {TYPE_FILE, "f_path"},
    [TYPE_DENTRY] = {TYPE_PATH, "dentry"}, [TYPE_FS] = {TYPE_TASK, "fs"},
    [TYPE_RANGE] = {TYPE_NODE, "mr64"},    [TYPE_GAPS] = {TYPE_NODE, "ma64"},
    [TYPE_META] = {TYPE_RANGE, "meta"},
};

/* size 0: any.  only: of kernels of this sort. */
static const struct {
    enum mapped_type in;
    const char *name;
    uint32_t size;
    enum mapping_sort only;
} members[MAPPING_MEMBERS] = {
    [MAPPING_TASK_FS] = {TYPE_TASK, "fs", 8, 0},
    [MAPPING_FS_ROOT] = {TYPE_FS, "root", 16, 0},
    [MAPPING_DENTRY_HASH] = {TYPE_DENTRY, "d_hash", 16, 0},
    [MAPPING_AREA_START] = {TYPE_AREA, "vm_start", 8, 0},
    [MAPPING_AREA_END] = {TYPE_AREA, "vm_end", 8, 0},
    [MAPPING_AREA_FLAGS] = {TYPE_AREA, "vm_flags", 8, 0},
    [MAPPING_AREA_OFFSET] = {TYPE_AREA, "vm_pgoff", 8, 0},
    [MAPPING_AREA_FILE] = {TYPE_AREA, "vm_file", 8, 0},
    [MAPPING_AREA_MM] = {TYPE_AREA, "vm_mm", 8, 0},
    [MAPPING_MM_LIST] = {TYPE_MM, "mmap", 8, MAPPING_BY_LIST},
    [MAPPING_AREA_NEXT] = {TYPE_AREA, "vm_next", 8, MAPPING_BY_LIST},
    [MAPPING_MM_TREE] = {TYPE_MM, "mm_mt", 0, MAPPING_BY_TREE},
    [MAPPING_TREE_ROOT] = {TYPE_TREE, "ma_root", 8, MAPPING_BY_TREE},
    [MAPPING_NODE_RANGE] = {TYPE_NODE, "mr64", 0, MAPPING_BY_TREE},
    [MAPPING_RANGE_PIVOTS] = {TYPE_RANGE, "pivot", 8 * (MAPLE_RANGE_SLOTS - 1),
                              MAPPING_BY_TREE},
    [MAPPING_RANGE_SLOTS] = {TYPE_RANGE, "slot", 8 * MAPLE_RANGE_SLOTS,
                             MAPPING_BY_TREE},
    [MAPPING_RANGE_META] = {TYPE_RANGE, "meta", 2, MAPPING_BY_TREE},
    [MAPPING_NODE_GAPS] = {TYPE_NODE, "ma64", 0, MAPPING_BY_TREE},
    [MAPPING_GAPS_PIVOTS] = {TYPE_GAPS, "pivot", 8 * (MAPLE_GAPS_SLOTS - 1),
                             MAPPING_BY_TREE},
    [MAPPING_GAPS_SLOTS] = {TYPE_GAPS, "slot", 8 * MAPLE_GAPS_SLOTS,
                            MAPPING_BY_TREE},
    [MAPPING_GAPS_META] = {TYPE_GAPS, "meta", 2, MAPPING_BY_TREE},
    [MAPPING_META_END] = {TYPE_META, "end", 1, MAPPING_BY_TREE},
};

static bool has(enum mapping_member which, enum mapping_sort sort)
{
    return !members[which].only || members[which].only == sort;
}

void mapping_layout_want(struct btf_wanted wanted[MAPPING_STRUCTS], bool tree)
{
    wanted[MAPPING_STRUCT_AREA] = (struct btf_wanted){
        .name = "vm_area_struct",
        .size_min = 96,
        .size_max = AREA_BYTES_MAX,
        .members_min = 8,
    };
    /* Where there is none, all types would be looked at. */
    wanted[MAPPING_STRUCT_NODE] = (struct btf_wanted){
        .name = "maple_node",
        .size_min = MAPLE_NODE_BYTES,
        .size_max = MAPLE_NODE_BYTES,
        .members_min = 1,
        .found = !tree,
    };
}

/* Returns whether the types have all that such kernels have. */
static bool read_members(struct btf *btf, const struct btf_type types[TYPES],
                         struct mapping_layout *ret)
{
    bool known = true;

    for ( unsigned int i = 0; known && i < MAPPING_MEMBERS; i++ )
        known = !has(i, ret->sort) ||
                member_find(btf, &types[members[i].in], members[i].name,
                            members[i].size, &ret->at[i]);
    return known && mapping_layout_is_sound(ret);
}

void mapping_layout_read(struct btf *btf, const struct btf_wanted *task,
                         const struct btf_wanted wanted[MAPPING_STRUCTS],
                         struct mapping_layout *ret)
{
    struct btf_type types[TYPES];

    memset(ret, 0, sizeof(*ret));
    member_struct(task, &types[TYPE_TASK]);
    member_struct(&wanted[MAPPING_STRUCT_AREA], &types[TYPE_AREA]);
    member_struct(&wanted[MAPPING_STRUCT_NODE], &types[TYPE_NODE]);
    for ( unsigned int i = TYPE_MM; i < TYPES; i++ )
        member_follow(btf, &types[leads[i].from], leads[i].member, &types[i]);
    ret->sort = types[TYPE_NODE].id ? MAPPING_BY_TREE : MAPPING_BY_LIST;
    if ( !read_members(btf, types, ret) )
        memset(ret, 0, sizeof(*ret));
}

/* Whether a part of a node, at a member of a form that it has, lies in it. */
static bool lies_in_node(const struct mapping_layout *layout,
                         enum mapping_member form, enum mapping_member member,
                         uint32_t bytes)
{
    return layout->at[form] + layout->at[member] + bytes <= MAPLE_NODE_BYTES;
}

static bool is_tree_sound(const struct mapping_layout *layout)
{
    const uint32_t meta = layout->at[MAPPING_META_END] + 1;

    return lies_in_node(layout, MAPPING_NODE_RANGE, MAPPING_RANGE_PIVOTS,
                        8 * (MAPLE_RANGE_SLOTS - 1)) &&
           lies_in_node(layout, MAPPING_NODE_RANGE, MAPPING_RANGE_SLOTS,
                        8 * MAPLE_RANGE_SLOTS) &&
           lies_in_node(layout, MAPPING_NODE_RANGE, MAPPING_RANGE_META, meta) &&
           lies_in_node(layout, MAPPING_NODE_GAPS, MAPPING_GAPS_PIVOTS,
                        8 * (MAPLE_GAPS_SLOTS - 1)) &&
           lies_in_node(layout, MAPPING_NODE_GAPS, MAPPING_GAPS_SLOTS,
                        8 * MAPLE_GAPS_SLOTS) &&
           lies_in_node(layout, MAPPING_NODE_GAPS, MAPPING_GAPS_META, meta);
}

bool mapping_layout_is_sound(const struct mapping_layout *layout)
{
    for ( unsigned int i = 0; i < MAPPING_MEMBERS; i++ )
        if ( layout->at[i] > MEMBER_OFFSET_MAX )
            return false;
    return layout->sort <= MAPPING_BY_TREE &&
           mapping_area_bytes(layout) <= AREA_BYTES_MAX &&
           (layout->sort != MAPPING_BY_TREE || is_tree_sound(layout));
}

uint32_t mapping_area_bytes(const struct mapping_layout *layout)
{
    uint32_t bytes = 0;

    for ( unsigned int i = 0; i < MAPPING_MEMBERS; i++ )
        if ( members[i].in == TYPE_AREA && has(i, layout->sort) &&
             layout->at[i] + 8 > bytes )
            bytes = layout->at[i] + 8;
    return bytes;
}

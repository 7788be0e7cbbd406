/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From struct task_struct on, member by member: names of structures are not
 * unique, but what a member is of is. */
#include "kernel-layout.h"

#include <string.h>

#include "guest/task-list.h"

/* Of a struct page. */
#define PAGE_BYTES_MAX 256u

static const struct {
    uint32_t groups;
    const char *name; /* NULL: a member leads to it */
    uint32_t least, most, members;
    enum kernel_member by;
} types_asked[KERNEL_TYPES] = {
#define BY_MEMBER(NAME) .by = MEMBER_##NAME
#define BY_NAME(for_groups, its_name, at_least, at_most, some)                 \
    .groups = for_groups, .name = its_name, .least = at_least,                 \
    .most = at_most, .members = some
#define TYPE(NAME, how) {how},
#define MEMBER(groups, NAME, IN, bytes, ...)
#include "kernel-members.def"
#undef TYPE
#undef MEMBER
};

static const struct {
    uint32_t groups;
    enum kernel_type in;
    uint32_t bytes[2];        /* at least and at most; 0: as many */
    const char *const *names; /* NULL behind the last */
} kernel_members[KERNEL_MEMBERS] = {
#define ANY             0, UINT32_MAX
#define AT_LEAST(bytes) bytes, UINT32_MAX
#define TYPE(NAME, how)
#define MEMBER(groups, NAME, IN, bytes, ...)                                   \
    {groups, TYPE_##IN, {bytes}, (const char *const[]){__VA_ARGS__, NULL}},
#include "kernel-members.def"
#undef TYPE
#undef MEMBER
};

void kernel_layout_want(struct btf_wanted types[KERNEL_TYPES], uint32_t groups)
{
    for ( unsigned int i = 0; i < KERNEL_TYPES; i++ )
        types[i] = (struct btf_wanted){
            .name = types_asked[i].name,
            .size_min = types_asked[i].least,
            .size_max = types_asked[i].most,
            .members_min = types_asked[i].members,
            .found = !(types_asked[i].groups & groups),
        };
}

/* Returns whether a type that is known has the member, by one of its names. */
static bool find_member(struct btf *btf, const struct btf_wanted *types,
                        enum kernel_member which, struct btf_field *ret)
{
    const struct btf_type *in = &types[kernel_members[which].in].type;
    const uint32_t *bytes = kernel_members[which].bytes;

    for ( const char *const *name = kernel_members[which].names;
          in->id && *name; name++ )
        if ( btf_find_field(btf, in, *name, ret) && ret->size >= bytes[0] &&
             ret->size <= (bytes[1] ? bytes[1] : bytes[0]) &&
             ret->offset <= MEMBER_OFFSET_MAX )
            return true;
    return false;
}

static void follow_member(struct btf *btf, const struct btf_wanted *types,
                          enum kernel_member which, struct btf_type *ret)
{
    struct btf_field field;
    struct btf_type type;

    if ( find_member(btf, types, which, &field) &&
         btf_strip(btf, field.type, &type) &&
         (type.kind != BTF_POINTER || btf_target(btf, &type, &type)) &&
         type.kind == BTF_STRUCT )
        *ret = type;
}

struct maple_form maple_form_of(const struct kernel_layout *layout, bool gaps)
{
    const uint32_t *at = layout->at;
    const uint32_t node = at[gaps ? MEMBER_NODE_GAPS : MEMBER_NODE_RANGE];
    const uint32_t meta = at[gaps ? MEMBER_GAPS_META : MEMBER_RANGE_META];

    return (struct maple_form){
        .slots = node + at[gaps ? MEMBER_GAPS_SLOTS : MEMBER_RANGE_SLOTS],
        .pivots = node + at[gaps ? MEMBER_GAPS_PIVOTS : MEMBER_RANGE_PIVOTS],
        .end = node + meta + at[MEMBER_META_END],
        .count = gaps ? MAPLE_GAPS_SLOTS : MAPLE_RANGE_SLOTS,
    };
}

static bool lies_in_node(struct maple_form form)
{
    return form.slots + 8 * form.count <= MAPLE_NODE_BYTES &&
           form.pivots + 8 * (form.count - 1) <= MAPLE_NODE_BYTES &&
           form.end < MAPLE_NODE_BYTES;
}

uint32_t kernel_area_bytes(const struct kernel_layout *layout)
{
    uint32_t bytes = 0;

    for ( unsigned int i = 0; i < KERNEL_MEMBERS; i++ )
        if ( kernel_members[i].in == TYPE_AREA &&
             (kernel_members[i].groups & layout->known) &&
             layout->at[i] + 8 > bytes )
            bytes = layout->at[i] + 8;
    return bytes;
}

/* Returns the groups that could not be used as the layout has them. */
static uint32_t unsound_groups(const struct kernel_layout *layout)
{
    uint32_t ret = 0;

    if ( layout->at[MEMBER_TASK_TGID] != layout->at[MEMBER_TASK_PID] + 4 )
        ret |= FOR_TASKS;
    if ( kernel_area_bytes(layout) > AREA_BYTES_MAX )
        ret |= FOR_AREAS;
    if ( !lies_in_node(maple_form_of(layout, false)) ||
         !lies_in_node(maple_form_of(layout, true)) )
        ret |= FOR_TREE;
    if ( !layout->page_bytes || layout->page_bytes % 8 ||
         layout->page_bytes > PAGE_BYTES_MAX )
        ret |= FOR_PAGES;
    return ret;
}

void kernel_layout_read(struct btf *btf, struct btf_wanted types[KERNEL_TYPES],
                        struct kernel_layout *ret)
{
    struct btf_field field;

    for ( unsigned int i = 0; i < KERNEL_TYPES; i++ )
        if ( !types_asked[i].name )
            follow_member(btf, types, types_asked[i].by, &types[i].type);
    memset(ret, 0, sizeof(*ret));
    ret->known = FOR_ALL;
    ret->page_bytes = types[TYPE_PAGE].type.size;
    for ( unsigned int i = 0; i < KERNEL_MEMBERS; i++ )
        if ( find_member(btf, types, i, &field) )
            ret->at[i] = field.offset;
        else
            ret->known &= ~kernel_members[i].groups;
    ret->known &= ~unsound_groups(ret);
    /* Numbers of no use would make equal kernels differ. */
    for ( unsigned int i = 0; i < KERNEL_MEMBERS; i++ )
        if ( !(kernel_members[i].groups & ret->known) )
            ret->at[i] = 0;
    if ( !(ret->known & FOR_PAGES) )
        ret->page_bytes = 0;
}

bool kernel_layout_is_sound(const struct kernel_layout *layout)
{
    for ( unsigned int i = 0; i < KERNEL_MEMBERS; i++ )
        if ( layout->at[i] > MEMBER_OFFSET_MAX )
            return false;
    return layout->known <= FOR_ALL &&
           !(layout->known & unsound_groups(layout));
}

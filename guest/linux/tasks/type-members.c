/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "type-members.h"

void member_struct(const struct btf_wanted *wanted, struct btf_type *ret)
{
    ret->id = 0;
    if ( wanted->found )
        *ret = wanted->type;
}

void member_follow(struct btf *btf, const struct btf_type *in,
                   const char *member, struct btf_type *ret)
{
    struct btf_field field;
    struct btf_type type;

    ret->id = 0;
    if ( !in->id || !btf_find_field(btf, in, member, &field) ||
         !btf_strip(btf, field.type, &type) ||
         (type.kind == BTF_POINTER && !btf_target(btf, &type, &type)) )
        return;
    if ( type.kind == BTF_STRUCT )
        *ret = type;
}

bool member_find(struct btf *btf, const struct btf_type *in, const char *name,
                 uint32_t size, uint32_t *at)
{
    struct btf_field field;

    if ( !name || !in->id || !btf_find_field(btf, in, name, &field) ||
         (size && field.size != size) || field.offset > MEMBER_OFFSET_MAX )
        return false;
    *at = field.offset;
    return true;
}

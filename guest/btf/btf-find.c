/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks for structures in one walk, and for members in all that is nested. */
#include "btf-find.h"

#include <string.h>

#define POINTER_SIZE 8u
#define DIMENSIONS   8 /* arrays of arrays */

static bool may_be(const struct btf_wanted *wanted, const struct btf_type *type)
{
    return !wanted->found && type->kind == BTF_STRUCT &&
           type->size >= wanted->size_min && type->size <= wanted->size_max &&
           type->count >= wanted->members_min &&
           type->count <= BTF_STRUCT_MEMBERS;
}

/* A name is read only for a type that may be one of them: it lies far away, and
 * each read of a guest's memory is a message. */
static unsigned int take_type(struct btf *btf, const struct btf_type *type,
                              struct btf_wanted *wanted, unsigned int count)
{
    char name[BTF_NAME_MAX + 1];
    bool read = false;

    for ( unsigned int i = 0; i < count; i++ )
    {
        if ( !may_be(&wanted[i], type) ||
             (!read && !btf_name(btf, type->name, name)) )
            continue;
        read = true;
        if ( strcmp(name, wanted[i].name) )
            continue;
        wanted[i].found = true;
        wanted[i].type = *type;
        return 1;
    }
    return 0;
}

unsigned int btf_find_structs(struct btf *btf, struct btf_wanted *wanted,
                              unsigned int count)
{
    unsigned int found = 0;
    struct btf_type type;
    bool there;

    for ( unsigned int i = 0; i < count; i++ )
        found += wanted[i].found;
    for ( there = btf_type(btf, 1, &type); there && found < count;
          there = btf_next(btf, &type) )
        found += take_type(btf, &type, wanted, count);
    return found;
}

uint32_t btf_size(struct btf *btf, uint32_t id)
{
    uint64_t times = 1;
    struct btf_type type;

    if ( !btf_strip(btf, id, &type) )
        return 0;
    for ( int i = 0; i < DIMENSIONS && type.kind == BTF_ARRAY; i++ )
    {
        times *= btf_elements(btf, &type);
        if ( times > UINT32_MAX || !btf_target(btf, &type, &type) )
            return 0;
    }
    switch ( type.kind )
    {
    case BTF_POINTER: times *= POINTER_SIZE; break;
    case BTF_INT:
    case BTF_STRUCT:
    case BTF_UNION:
    case BTF_ENUM:
    case BTF_FLOAT:
    case BTF_ENUM64: times *= type.size; break;
    default: return 0;
    }
    return times <= UINT32_MAX ? (uint32_t)times : 0;
}

/* Structures that are open, each an anonymous member of the one before. */
struct field_search {
    struct {
        struct btf_type type;
        uint32_t next;   /* member to look at */
        uint64_t offset; /* of the whole of it */
    } open[BTF_NESTING];
    unsigned int depth;
    uint32_t looked;
};

static void open_struct(struct field_search *search, struct btf *btf,
                        uint32_t id, uint64_t offset)
{
    struct btf_type type;

    if ( search->depth == BTF_NESTING || !btf_strip(btf, id, &type) ||
         (type.kind != BTF_STRUCT && type.kind != BTF_UNION) )
        return;
    search->open[search->depth].type = type;
    search->open[search->depth].next = 0;
    search->open[search->depth++].offset = offset;
}

/* Returns whether there is another member in the structures that are open. */
static bool next_member(struct field_search *search, struct btf *btf,
                        struct btf_member *ret, uint64_t *base)
{
    while ( search->depth && search->looked < BTF_FIELDS_LOOKED )
    {
        unsigned int last = search->depth - 1;

        *base = search->open[last].offset;
        search->looked++;
        if ( search->open[last].next < BTF_STRUCT_MEMBERS &&
             btf_member(btf, &search->open[last].type,
                        search->open[last].next++, ret) )
            return true;
        search->depth--;
    }
    return false;
}

bool btf_find_field(struct btf *btf, const struct btf_type *in,
                    const char *name, struct btf_field *ret)
{
    struct field_search search = {.depth = 0};
    struct btf_member member;
    char text[BTF_NAME_MAX + 1];
    uint64_t base;

    open_struct(&search, btf, in->id, 0);
    while ( next_member(&search, btf, &member, &base) )
    {
        uint64_t offset = base + member.offset;

        if ( !btf_name(btf, member.name, text) )
            continue;
        if ( !text[0] )
        {
            open_struct(&search, btf, member.type, offset);
            continue;
        }
        if ( strcmp(text, name) )
            continue;
        *ret = (struct btf_field){(uint32_t)offset, btf_size(btf, member.type),
                                  member.type};
        return !member.bits && ret->size && offset + ret->size <= in->size;
    }
    return false;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Named structures, and where their members lie, as a kernel's type
 * information says it.
 *
 * The guest wrote it, so it may lie, but what is returned makes sense by
 * itself: a field lies in its structure.  What a search costs is bounded by the
 * budget of the memory, by BTF_TYPES_MAX types, and by BTF_FIELDS_LOOKED
 * members.
 */
#ifndef XENOPROF_GUEST_BTF_BTF_FIND_H
#define XENOPROF_GUEST_BTF_BTF_FIND_H

#include "btf.h"

#define BTF_FIELDS_LOOKED 4096u /* members, anonymous ones opened */
#define BTF_NESTING       8u    /* anonymous members in each other */

/* A structure that is looked for.  Names are not unique: some drivers have
 * small ones of their own, and some types are only declared. */
struct btf_wanted {
    const char *name; /* fewer than BTF_NAME_MAX letters */
    uint32_t size_min, size_max;
    uint32_t members_min;
    bool found;
    struct btf_type type; /* if it was found: the first that is like that */
};

/* A member, as bytes of the structure that was asked. */
struct btf_field {
    uint32_t offset;
    uint32_t size;
    uint32_t type; /* its number */
};

/* Walks over the types once, until all that are wanted were found.  Returns
 * how many were; some were perhaps found before. */
unsigned int btf_find_structs(struct btf *btf, struct btf_wanted *wanted,
                              unsigned int count);

/* Returns whether the structure has a member of that name, itself or in
 * anonymous members, which is whole bytes of it. */
bool btf_find_field(struct btf *btf, const struct btf_type *in,
                    const char *name, struct btf_field *ret);

/* Returns the bytes of a type, 0 if that is not known or too many. */
uint32_t btf_size(struct btf *btf, uint32_t id);

#endif

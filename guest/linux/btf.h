/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel's type information (BTF), read from its memory piece by piece: all
 * of it would be 5 MiB, and what is asked for lies near its start.
 */
#ifndef XENOPROF_GUEST_LINUX_BTF_H
#define XENOPROF_GUEST_LINUX_BTF_H

#include "guest/memory.h"

#define BTF_TYPES_MAX      (1u << 20)
#define BTF_CHECKPOINT     256u /* types from one known place to the next */
#define BTF_WINDOW         8192u
#define BTF_STRUCT_MEMBERS 256u

enum btf_kind {
    BTF_POINTER = 2,
    BTF_ARRAY = 3,
    BTF_STRUCT = 4,
    BTF_UNION = 5,
    BTF_TYPEDEF = 8,
    BTF_VOLATILE = 9,
    BTF_CONST = 10,
    BTF_RESTRICT = 11,
    BTF_TYPE_TAG = 18
};

struct btf {
    struct guest_memory *memory;
    uint64_t types;
    uint64_t strings;
    uint32_t types_size;
    uint32_t strings_size;
    uint32_t places[BTF_TYPES_MAX / BTF_CHECKPOINT]; /* of some types */
    uint32_t known;                                  /* how many of those */
    uint32_t window_at, window_size;
    uint8_t window[BTF_WINDOW];
};

struct btf_type {
    uint32_t id;
    uint32_t at; /* where it lies */
    uint32_t name;
    enum btf_kind kind;
    uint32_t count; /* of members */
    uint32_t size;  /* or the type that it refers to */
    bool bitfields; /* offsets have a size in their upper byte */
};

struct btf_member {
    uint32_t name;
    uint32_t type;
    uint32_t offset; /* in bytes */
};

/* Returns whether type information lies at start. */
bool btf_open(struct btf *btf, struct guest_memory *memory, uint64_t start,
              uint64_t end);
/* Returns whether there is a type of this number, from 1 on. */
bool btf_type(struct btf *btf, uint32_t id, struct btf_type *ret);
/* Moves to the type behind it.  Returns true, or false behind the last. */
bool btf_next(struct btf *btf, struct btf_type *type);
bool btf_is_named(struct btf *btf, uint32_t name, const char *wanted);
/* Returns whether it is a structure with a member of this number, from 0 on. */
bool btf_member(struct btf *btf, const struct btf_type *type, uint32_t index,
                struct btf_member *ret);
/* Returns whether it has a member of that name. */
bool btf_find_member(struct btf *btf, const struct btf_type *type,
                     const char *name, struct btf_member *ret);
/* Each returns whether the types say it: what a typedef or a qualifier stands
 * for; what a pointer points to or an array consists of. */
bool btf_strip(struct btf *btf, uint32_t id, struct btf_type *ret);
bool btf_target(struct btf *btf, const struct btf_type *type,
                struct btf_type *ret);
/* Returns how many elements an array has, 0 for other types. */
uint32_t btf_elements(struct btf *btf, const struct btf_type *type);

#endif

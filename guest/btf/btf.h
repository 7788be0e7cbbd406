/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel's type information (BTF), read from its memory in pieces: all of it
 * would be 5 MiB, and what is asked for lies near its start.  Whoever walks
 * over types comes back to where he was again and again, and each read of a
 * guest's memory is a message and an answer, so pieces are large, and kept.
 */
#ifndef XENOPROF_GUEST_BTF_BTF_H
#define XENOPROF_GUEST_BTF_BTF_H

#include "guest/memory.h"

#define BTF_TYPES_MAX      (1u << 20)
#define BTF_CHECKPOINT     256u   /* types from one known place to the next */
#define BTF_PIECE          65536u /* bytes, at a multiple of that */
#define BTF_PIECES         32u    /* that are kept */
#define BTF_STRUCT_MEMBERS 1024u  /* of a structure, that are looked at */
#define BTF_NAME_MAX       32u    /* bytes of a name that is compared */

enum btf_kind {
    BTF_INT = 1,
    BTF_POINTER = 2,
    BTF_ARRAY = 3,
    BTF_STRUCT = 4,
    BTF_UNION = 5,
    BTF_ENUM = 6,
    BTF_TYPEDEF = 8,
    BTF_VOLATILE = 9,
    BTF_CONST = 10,
    BTF_RESTRICT = 11,
    BTF_FLOAT = 16,
    BTF_TYPE_TAG = 18,
    BTF_ENUM64 = 19
};

struct btf_piece {
    uint64_t address;
    uint32_t size; /* bytes that could be read */
    uint8_t bytes[BTF_PIECE];
};

struct btf {
    struct guest_memory *memory;
    uint64_t start, end;
    uint64_t types;
    uint64_t strings;
    uint32_t types_size;
    uint32_t strings_size;
    uint32_t places[BTF_TYPES_MAX / BTF_CHECKPOINT]; /* of some types */
    uint32_t known;                                  /* how many of those */
    uint32_t read;                                   /* pieces so far */
    uint32_t last; /* piece that was asked for */
    struct btf_piece pieces[BTF_PIECES];
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
    bool bits;       /* it has some bits of those bytes */
};

/* Returns whether type information lies at start. */
bool btf_open(struct btf *btf, struct guest_memory *memory, uint64_t start,
              uint64_t end);
/* Returns whether there is a type of this number, from 1 on. */
bool btf_type(struct btf *btf, uint32_t id, struct btf_type *ret);
/* Moves to the type behind it.  Returns true, or false behind the last. */
bool btf_next(struct btf *btf, struct btf_type *type);
/* Puts the start of a name into to, with a zero behind it.  Returns whether
 * there is one; "" is one. */
bool btf_name(struct btf *btf, uint32_t name, char to[BTF_NAME_MAX + 1]);
/* wanted has fewer than BTF_NAME_MAX letters. */
bool btf_is_named(struct btf *btf, uint32_t name, const char *wanted);
/* Returns whether it is a structure or a union with a member of this number,
 * from 0 on. */
bool btf_member(struct btf *btf, const struct btf_type *type, uint32_t index,
                struct btf_member *ret);
/* Returns whether it has a member of that name itself (btf-find.h looks into
 * its anonymous members, too). */
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

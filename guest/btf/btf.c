/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks over types, which have no index, from known places on. */
#include "btf.h"

#include <string.h>

#define MAGIC   0xeb9fu
#define HEAD    12u /* bytes of every type */
#define ALIASES 32  /* typedefs of typedefs */

struct btf_header {
    uint16_t magic;
    uint8_t version;
    uint8_t flags;
    uint32_t length;
    uint32_t types, types_size;
    uint32_t strings, strings_size;
};

/* What follows the head of each kind of type: so many bytes, and so many for
 * each member. */
static const struct {
    uint8_t known, fixed, each;
} kinds[32] = {
    [1] = {1, 4, 0},   /* int */
    [2] = {1, 0, 0},   /* pointer */
    [3] = {1, 12, 0},  /* array */
    [4] = {1, 0, 12},  /* struct */
    [5] = {1, 0, 12},  /* union */
    [6] = {1, 0, 8},   /* enum */
    [7] = {1, 0, 0},   /* forward */
    [8] = {1, 0, 0},   /* typedef */
    [9] = {1, 0, 0},   /* volatile */
    [10] = {1, 0, 0},  /* const */
    [11] = {1, 0, 0},  /* restrict */
    [12] = {1, 0, 0},  /* function */
    [13] = {1, 0, 8},  /* prototype */
    [14] = {1, 4, 0},  /* variable */
    [15] = {1, 0, 12}, /* section */
    [16] = {1, 0, 0},  /* float */
    [17] = {1, 4, 0},  /* declaration tag */
    [18] = {1, 0, 0},  /* type tag */
    [19] = {1, 0, 12}, /* enum of 64 bits */
};

bool btf_open(struct btf *btf, struct guest_memory *memory, uint64_t start,
              uint64_t end)
{
    struct btf_header header;
    uint64_t size = end - start;

    btf->known = btf->read = 0;
    if ( end <= start || size > UINT32_MAX ||
         !guest_memory_get(memory, start, &header, sizeof(header)) ||
         header.magic != MAGIC || header.version != 1 ||
         header.length < sizeof(header) ||
         (uint64_t)header.length + header.types + header.types_size > size ||
         (uint64_t)header.length + header.strings + header.strings_size > size )
        return false;
    btf->memory = memory;
    btf->start = start;
    btf->end = end;
    btf->types = start + header.length + header.types;
    btf->types_size = header.types_size;
    btf->strings = start + header.length + header.strings;
    btf->strings_size = header.strings_size;
    btf->places[0] = 0;
    btf->known = 1;
    return true;
}

static bool piece_has(const struct btf_piece *piece, uint64_t address)
{
    return piece->address / BTF_PIECE == address / BTF_PIECE;
}

/* Returns the piece that has this address, which lies in the information. */
static const struct btf_piece *piece_at(struct btf *btf, uint64_t address)
{
    struct btf_piece *piece;
    uint64_t end;

    if ( btf->read && piece_has(&btf->pieces[btf->last], address) )
        return &btf->pieces[btf->last];
    for ( uint32_t i = 0; i < btf->read && i < BTF_PIECES; i++ )
        if ( piece_has(&btf->pieces[i], address) )
        {
            btf->last = i;
            return &btf->pieces[i];
        }
    address &= -(uint64_t)BTF_PIECE;
    end = address + BTF_PIECE;
    btf->last = btf->read++ % BTF_PIECES;
    piece = &btf->pieces[btf->last];
    piece->address = address > btf->start ? address : btf->start;
    piece->size = (uint32_t)guest_memory_read(
        btf->memory, piece->address, piece->bytes,
        (end < btf->end ? end : btf->end) - piece->address);
    return piece;
}

/* Returns how many bytes are there before the first that cannot be read. */
static size_t read_btf(struct btf *btf, uint64_t address, uint8_t *to,
                       size_t size)
{
    size_t got = 0, some;

    for ( ; got < size; got += some )
    {
        const struct btf_piece *piece = piece_at(btf, address + got);
        uint64_t offset = address + got - piece->address;

        some = offset < piece->size ? piece->size - offset : 0;
        if ( !some )
            break;
        if ( some > size - got )
            some = size - got;
        memcpy(to + got, piece->bytes + offset, some);
    }
    return got;
}

static bool get_type_bytes(struct btf *btf, uint32_t at, void *to,
                           uint32_t size)
{
    return at <= btf->types_size && size <= btf->types_size - at &&
           read_btf(btf, btf->types + at, to, size) == size;
}

static bool read_type(struct btf *btf, uint32_t id, uint32_t at,
                      struct btf_type *ret)
{
    uint32_t head[3];

    if ( !get_type_bytes(btf, at, head, sizeof(head)) )
        return false;
    ret->id = id;
    ret->at = at;
    ret->name = head[0];
    ret->kind = head[1] >> 24 & 31;
    ret->count = head[1] & 0xffff;
    ret->bitfields = head[1] >> 31;
    ret->size = head[2];
    if ( !kinds[ret->kind].known )
        return false;
    if ( id / BTF_CHECKPOINT == btf->known && id % BTF_CHECKPOINT == 0 )
        btf->places[btf->known++] = at;
    return true;
}

bool btf_next(struct btf *btf, struct btf_type *type)
{
    uint32_t size = HEAD + kinds[type->kind].fixed +
                    kinds[type->kind].each * type->count;

    if ( size > btf->types_size - type->at || type->id + 1 >= BTF_TYPES_MAX )
        return false;
    return read_type(btf, type->id + 1, type->at + size, type);
}

bool btf_type(struct btf *btf, uint32_t id, struct btf_type *ret)
{
    uint32_t place = id / BTF_CHECKPOINT;

    if ( !id || id >= BTF_TYPES_MAX )
        return false;
    if ( place >= btf->known )
        place = btf->known - 1;
    if ( !read_type(btf, place ? place * BTF_CHECKPOINT : 1, btf->places[place],
                    ret) )
        return false;
    while ( ret->id < id )
        if ( !btf_next(btf, ret) )
            return false;
    return true;
}

bool btf_name(struct btf *btf, uint32_t name, char to[BTF_NAME_MAX + 1])
{
    uint32_t left = name < btf->strings_size ? btf->strings_size - name : 0;
    size_t size = left < BTF_NAME_MAX ? left : BTF_NAME_MAX;
    /* It may come short where the kernel's last page ends. */
    size_t got = read_btf(btf, btf->strings + name, (uint8_t *)to, size);

    to[got] = '\0';
    return got;
}

bool btf_is_named(struct btf *btf, uint32_t name, const char *wanted)
{
    size_t size = strlen(wanted) + 1;
    uint8_t text[BTF_NAME_MAX];

    return size <= sizeof(text) && name <= btf->strings_size &&
           size <= btf->strings_size - name &&
           read_btf(btf, btf->strings + name, text, size) == size &&
           !memcmp(text, wanted, size);
}

bool btf_member(struct btf *btf, const struct btf_type *type, uint32_t index,
                struct btf_member *ret)
{
    uint32_t words[3];

    if ( (type->kind != BTF_STRUCT && type->kind != BTF_UNION) ||
         index >= type->count ||
         !get_type_bytes(btf, type->at + HEAD + index * sizeof(words), words,
                         sizeof(words)) )
        return false;
    ret->name = words[0];
    ret->type = words[1];
    ret->offset = (type->bitfields ? words[2] & 0xffffff : words[2]) / 8;
    ret->bits = words[2] % 8 || (type->bitfields && words[2] >> 24);
    return true;
}

bool btf_find_member(struct btf *btf, const struct btf_type *type,
                     const char *name, struct btf_member *ret)
{
    uint32_t i;

    for ( i = 0; i < type->count && i < BTF_STRUCT_MEMBERS; i++ )
        if ( btf_member(btf, type, i, ret) &&
             btf_is_named(btf, ret->name, name) )
            return true;
    return false;
}

bool btf_strip(struct btf *btf, uint32_t id, struct btf_type *ret)
{
    int i;

    for ( i = 0; i < ALIASES; i++, id = ret->size )
    {
        if ( !btf_type(btf, id, ret) )
            return false;
        if ( ret->kind != BTF_TYPEDEF && ret->kind != BTF_VOLATILE &&
             ret->kind != BTF_CONST && ret->kind != BTF_RESTRICT &&
             ret->kind != BTF_TYPE_TAG )
            return true;
    }
    return false;
}

bool btf_target(struct btf *btf, const struct btf_type *type,
                struct btf_type *ret)
{
    uint32_t id;

    if ( type->kind == BTF_POINTER )
        return btf_strip(btf, type->size, ret);
    return type->kind == BTF_ARRAY &&
           get_type_bytes(btf, type->at + HEAD, &id, sizeof(id)) &&
           btf_strip(btf, id, ret);
}

uint32_t btf_elements(struct btf *btf, const struct btf_type *type)
{
    uint32_t words[3];

    return type->kind == BTF_ARRAY &&
                   get_type_bytes(btf, type->at + HEAD, words, sizeof(words))
               ? words[2]
               : 0;
}

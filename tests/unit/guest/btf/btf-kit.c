/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types and strings grow apart, and are put one after the other in the end. */
#include "btf-kit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct header {
    uint16_t magic;
    uint8_t version, flags;
    uint32_t length, types, types_size, strings, strings_size;
};

static uint32_t add(uint8_t **bytes, uint32_t *used, const void *what,
                    size_t size)
{
    uint32_t at = *used;

    *bytes = realloc(*bytes, at + size);
    if ( !*bytes )
        abort();
    memcpy(*bytes + at, what, size);
    *used += (uint32_t)size;
    return at;
}

static void add_words(struct btf_kit *kit, const uint32_t *words, size_t count)
{
    add(&kit->types, &kit->types_size, words, 4 * count);
}

/* No name is an empty one, which lies at 0. */
static uint32_t add_name(struct btf_kit *kit, const char *name)
{
    if ( !kit->strings_size )
        add(&kit->strings, &kit->strings_size, "", 1);
    return name ? add(&kit->strings, &kit->strings_size, name, strlen(name) + 1)
                : 0;
}

uint32_t btf_kit_type(struct btf_kit *kit, const char *name, uint32_t kind,
                      uint32_t members, uint32_t size)
{
    const uint32_t head[3] = {add_name(kit, name), kind << 24 | members, size};

    add_words(kit, head, 3);
    return ++kit->count;
}

uint32_t btf_kit_int(struct btf_kit *kit, const char *name, uint32_t size)
{
    const uint32_t bits = 8 * size;
    uint32_t id = btf_kit_type(kit, name, BTF_INT, 0, size);

    add_words(kit, &bits, 1);
    return id;
}

uint32_t btf_kit_array(struct btf_kit *kit, uint32_t of, uint32_t count)
{
    const uint32_t words[3] = {of, of, count};
    uint32_t id = btf_kit_type(kit, NULL, BTF_ARRAY, 0, 0);

    add_words(kit, words, 3);
    return id;
}

uint32_t btf_kit_pointer(struct btf_kit *kit, uint32_t to)
{
    return btf_kit_type(kit, NULL, BTF_POINTER, 0, to);
}

void btf_kit_member(struct btf_kit *kit, const char *name, uint32_t type,
                    uint32_t offset)
{
    const uint32_t words[3] = {add_name(kit, name), type, 8 * offset};

    add_words(kit, words, 3);
}

void btf_kit_bits(struct btf_kit *kit, const char *name, uint32_t type,
                  uint32_t bit, uint32_t bits)
{
    const uint32_t words[3] = {add_name(kit, name), type, bits << 24 | bit};

    add_words(kit, words, 3);
}

static size_t read_kit(void *self, uint64_t address, void *to, size_t size)
{
    const struct btf_kit *kit = self;
    uint64_t offset = address - BTF_KIT_ADDRESS;

    if ( offset >= kit->size )
        return 0;
    if ( size > kit->size - offset )
        size = kit->size - offset;
    memcpy(to, kit->bytes + offset, size);
    return size;
}

static void append(struct btf_kit *kit, const void *bytes, size_t size)
{
    uint32_t used = (uint32_t)kit->size;

    if ( size )
        add(&kit->bytes, &used, bytes, size);
    kit->size = used;
}

static void give_memory(struct btf_kit *kit, uint64_t budget)
{
    kit->memory = (struct guest_memory){
        .read = read_kit, .self = kit, .left = budget};
}

void btf_kit_end(struct btf_kit *kit, uint64_t budget)
{
    const struct header header = {
        .magic = 0xeb9f,
        .version = 1,
        .length = sizeof(header),
        .types_size = kit->types_size,
        .strings = kit->types_size,
        .strings_size = kit->strings_size,
    };

    kit->size = 0;
    append(kit, &header, sizeof(header));
    append(kit, kit->types, kit->types_size);
    append(kit, kit->strings, kit->strings_size);
    give_memory(kit, budget);
}

void btf_kit_take(struct btf_kit *kit, const void *bytes, size_t size,
                  uint64_t budget)
{
    append(kit, bytes, size);
    give_memory(kit, budget);
}

void btf_kit_free(struct btf_kit *kit)
{
    free(kit->types);
    free(kit->strings);
    free(kit->bytes);
    memset(kit, 0, sizeof(*kit));
}

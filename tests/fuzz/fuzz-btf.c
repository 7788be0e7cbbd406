/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as a kernel's type information: a search in it ends, and what it
 * returns makes sense by itself. */
#include <string.h>

#include "fuzz.h"
#include "guest/btf/btf-find.h"
#include "tests/unit/guest/btf/btf-kit.h"

#define BUDGET (1u << 20)

/* Some good types, for the fuzzer to change. */
static void make_types(struct btf_kit *kit, bool bits)
{
    uint32_t number = btf_kit_int(kit, "int", 4);
    uint32_t comm = btf_kit_array(kit, number, 4);
    uint32_t mm = btf_kit_pointer(kit, 1), inner, alias;

    inner = btf_kit_type(kit, NULL, BTF_UNION, 2, 16);
    btf_kit_member(kit, "pid", number, 0);
    btf_kit_member(kit, "comm", comm, 0);
    alias = btf_kit_type(kit, "alias", BTF_TYPEDEF, 0, inner);
    btf_kit_type(kit, "task", BTF_STRUCT | (bits ? BTF_KIT_BITS : 0), 3, 40);
    btf_kit_member(kit, "mm", mm, 0);
    btf_kit_member(kit, NULL, inner, 8);
    btf_kit_member(kit, NULL, alias, 24);
    btf_kit_end(kit, BUDGET);
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    struct btf_kit kit = {0};
    size_t size;

    if ( number > 1 )
        return 0;
    make_types(&kit, number);
    size = kit.size;
    memcpy(bytes, kit.bytes, size);
    btf_kit_free(&kit);
    return size;
}

static void check_fields(struct btf *btf, const struct btf_type *type)
{
    static const char *const names[] = {"pid", "comm", "mm", ""};
    struct btf_field field;

    for ( unsigned int i = 0; i < 4; i++ )
        FUZZ_CHECK(!btf_find_field(btf, type, names[i], &field) ||
                   (field.size && field.offset < type->size &&
                    field.size <= type->size - field.offset));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct btf btf;
    struct btf_wanted wanted[] = {
        {.name = "task", .size_max = UINT32_MAX},
        {.name = "int", .size_min = 8, .size_max = 64, .members_min = 1},
    };
    struct btf_kit kit = {0};
    unsigned int found;

    btf_kit_take(&kit, data, size, BUDGET);
    if ( btf_open(&btf, &kit.memory, BTF_KIT_ADDRESS, BTF_KIT_ADDRESS + size) )
    {
        found = btf_find_structs(&btf, wanted, 2);
        FUZZ_CHECK(found == wanted[0].found + (unsigned int)wanted[1].found);
        for ( unsigned int i = 0; i < 2; i++ )
            if ( wanted[i].found )
                check_fields(&btf, &wanted[i].type);
    }
    btf_kit_free(&kit);
    return 0;
}

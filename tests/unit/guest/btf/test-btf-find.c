/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures by name, and their members in all that is nested. */
#include <string.h>

#include "btf-kit.h"
#include "guest/btf/btf-find.h"
#include "tests/harness.h"

#define BUDGET (1u << 20)

static struct btf_kit kit;
static struct btf btf;

static void end_types(void)
{
    btf_kit_end(&kit, BUDGET);
    CHECK(btf_open(&btf, &kit.memory, BTF_KIT_ADDRESS,
                   BTF_KIT_ADDRESS + kit.size));
}

static struct btf_wanted any(const char *name)
{
    return (struct btf_wanted){.name = name, .size_max = UINT32_MAX};
}

static bool find(const char *in, const char *name, struct btf_field *ret)
{
    struct btf_wanted wanted = any(in);

    CHECK_EQ(btf_find_structs(&btf, &wanted, 1), 1);
    return btf_find_field(&btf, &wanted.type, name, ret);
}

static void check_field(const char *name, uint32_t offset, uint32_t size)
{
    struct btf_field field;

    if ( !find("task", name, &field) )
        test_fail(__FILE__, __LINE__, "%s is not found", name);
    CHECK_EQ(field.offset, offset);
    CHECK_EQ(field.size, size);
}

/* struct task {
 *     int state;
 *     union { long word; struct { int low; const int_t high; }; };
 *     struct { char comm[16]; char pairs[2][4]; void *mm; } named;
 *     struct { char comm[16]; char pairs[2][4]; void *mm; };
 *     int bits:3;
 * } */
static void make_task(void)
{
    uint32_t number = btf_kit_int(&kit, "int", 4);
    uint32_t word = btf_kit_int(&kit, "long", 8);
    uint32_t letter = btf_kit_int(&kit, "char", 1);
    uint32_t alias = btf_kit_type(
        &kit, NULL, BTF_CONST, 0,
        btf_kit_type(&kit, "int_t", BTF_TYPEDEF, 0, number));
    uint32_t comm = btf_kit_array(&kit, letter, 16);
    uint32_t pairs = btf_kit_array(&kit, btf_kit_array(&kit, letter, 4), 2);
    uint32_t mm = btf_kit_pointer(&kit, 0), inner, outer, names;

    inner = btf_kit_type(&kit, NULL, BTF_STRUCT, 2, 8);
    btf_kit_member(&kit, "low", number, 0);
    btf_kit_member(&kit, "high", alias, 4);
    outer = btf_kit_type(&kit, NULL, BTF_UNION, 2, 8);
    btf_kit_member(&kit, "word", word, 0);
    btf_kit_member(&kit, NULL, inner, 0);
    names = btf_kit_type(&kit, NULL, BTF_STRUCT, 3, 32);
    btf_kit_member(&kit, "comm", comm, 0);
    btf_kit_member(&kit, "pairs", pairs, 16);
    btf_kit_member(&kit, "mm", mm, 24);
    btf_kit_type(&kit, "task", BTF_STRUCT | BTF_KIT_BITS, 6, 88);
    btf_kit_member(&kit, "state", number, 0);
    btf_kit_member(&kit, NULL, outer, 8);
    btf_kit_member(&kit, "named", names, 16);
    btf_kit_member(&kit, NULL, names, 48);
    btf_kit_bits(&kit, "bits", number, 640, 3);
    btf_kit_bits(&kit, "whole", number, 672, 0);
    end_types();
}

TEST(members_are_found_in_all_that_is_nested)
{
    struct btf_field field;

    make_task();
    check_field("state", 0, 4);
    check_field("word", 8, 8);
    check_field("low", 8, 4);
    check_field("high", 12, 4);
    check_field("named", 16, 32);
    check_field("comm", 48, 16);
    check_field("pairs", 64, 8);
    check_field("mm", 72, 8);
    check_field("whole", 84, 4);
    CHECK(!find("task", "bits", &field));
    CHECK(!find("task", "com", &field));
    CHECK(!find("task", "", &field));
    btf_kit_free(&kit);
}

/* Written by hand, so no kit shares a mistake with the reader:
 *   int u32 (4 bytes); struct task { u32; u32 pid; } (12 bytes)
 * where the first member, which has no name, is not a structure. */
TEST(bytes_by_hand)
{
    static const uint32_t header[] = {0x0001eb9f, 24, 0, 52, 52, 14};
    static const uint32_t types[] = {1, 1 << 24, 4, 32, 5, 4 << 24 | 2, 12,
                                     0, 1,       0, 10, 1, 64};
    static const char strings[] = "\0u32\0task\0pid";
    uint8_t bytes[sizeof(header) + sizeof(types) + sizeof(strings)];
    struct btf_field field;

    memcpy(bytes, header, sizeof(header));
    memcpy(bytes + sizeof(header), types, sizeof(types));
    memcpy(bytes + sizeof(header) + sizeof(types), strings, sizeof(strings));
    btf_kit_take(&kit, bytes, sizeof(bytes), BUDGET);
    CHECK(btf_open(&btf, &kit.memory, BTF_KIT_ADDRESS,
                   BTF_KIT_ADDRESS + sizeof(bytes)));
    CHECK(find("task", "pid", &field));
    CHECK_EQ(field.offset, 8);
    CHECK_EQ(field.size, 4);
    CHECK_EQ(field.type, 1);
    btf_kit_free(&kit);
}

TEST(a_name_that_several_types_have)
{
    struct btf_wanted wanted = any("module");

    btf_kit_type(&kit, "module", BTF_TYPEDEF, 0, 2);
    btf_kit_type(&kit, "module", BTF_STRUCT, 0, 16);
    btf_kit_type(&kit, "module", BTF_STRUCT, 1, 8);
    btf_kit_member(&kit, "of", 1, 0);
    btf_kit_type(&kit, "module", BTF_STRUCT, 1, 400);
    btf_kit_member(&kit, "of", 1, 0);
    end_types();
    CHECK_EQ(btf_find_structs(&btf, &wanted, 1), 1);
    CHECK_EQ(wanted.type.id, 2);
    wanted = any("module");
    wanted.members_min = 1;
    CHECK_EQ(btf_find_structs(&btf, &wanted, 1), 1);
    CHECK_EQ(wanted.type.id, 3);
    wanted.found = false;
    wanted.size_min = 9;
    CHECK_EQ(btf_find_structs(&btf, &wanted, 1), 1);
    CHECK_EQ(wanted.type.id, 4);
    wanted.found = false;
    wanted.size_max = 399;
    CHECK_EQ(btf_find_structs(&btf, &wanted, 1), 0);
    btf_kit_free(&kit);
}

/* All that are wanted cost one walk, which ends with the last of them. */
TEST(several_structures_in_one_walk)
{
    struct btf_wanted wanted[] = {any("late"), any("early"), any("none")};
    uint64_t before;

    btf_kit_type(&kit, "early", BTF_STRUCT, 0, 8);
    for ( int i = 0; i < 2000; i++ )
        btf_kit_pointer(&kit, 1);
    btf_kit_type(&kit, "late", BTF_STRUCT, 0, 8);
    for ( int i = 0; i < 2000; i++ )
        btf_kit_pointer(&kit, 1);
    end_types();
    before = kit.memory.left;
    CHECK_EQ(btf_find_structs(&btf, wanted, 2), 2);
    CHECK_EQ(wanted[0].type.id, 2002);
    CHECK_EQ(wanted[1].type.id, 1);
    CHECK(before - kit.memory.left < 2002 * 12 + 2 * BTF_PIECE);
    before = kit.memory.left;
    CHECK_EQ(btf_find_structs(&btf, wanted, 3), 2);
    CHECK(before - kit.memory.left < 4002 * 12 + 2 * BTF_PIECE);
    CHECK(!wanted[2].found);
    btf_kit_free(&kit);
}

/* Whoever comes back to where he was reads nothing again. */
TEST(pieces_are_kept)
{
    struct btf_wanted wanted = any("none");
    uint64_t before;

    for ( int i = 0; i < 20000; i++ )
        btf_kit_pointer(&kit, 1);
    end_types();
    CHECK_EQ(btf_find_structs(&btf, &wanted, 1), 0);
    before = kit.memory.left;
    CHECK(before >= BUDGET - kit.size - 64);
    CHECK_EQ(btf_find_structs(&btf, &wanted, 1), 0);
    CHECK_EQ(kit.memory.left, before);
    btf_kit_free(&kit);
}

static void make_one(uint32_t type, uint32_t offset)
{
    btf_kit_type(&kit, "task", BTF_STRUCT, 1, 64);
    btf_kit_member(&kit, "it", type, offset);
    end_types();
}

/* What is returned lies in the structure, whatever the types say. */
TEST(members_that_are_not_in_their_structure)
{
    struct btf_field field;

    for ( int i = 0; i < 2; i++ )
    {
        make_one(btf_kit_int(&kit, "int", 4), 60 + i);
        CHECK_EQ(find("task", "it", &field), !i);
        btf_kit_free(&kit);
    }
    make_one(btf_kit_int(&kit, "int", 4), 0x1ffffff0);
    CHECK(!find("task", "it", &field));
    btf_kit_free(&kit);
    make_one(btf_kit_array(&kit, btf_kit_int(&kit, "int", 4), 0x40000001), 0);
    CHECK(!find("task", "it", &field));
    btf_kit_free(&kit);
    make_one(btf_kit_type(&kit, "it", 12, 0, 0), 0); /* a function */
    CHECK(!find("task", "it", &field));
    btf_kit_free(&kit);
    make_one(77, 0); /* a type that is not there */
    CHECK(!find("task", "it", &field));
    btf_kit_free(&kit);
}

/* An array of itself, a typedef of itself, a structure in itself. */
TEST(types_without_an_end)
{
    struct btf_field field;
    uint64_t before;

    btf_kit_array(&kit, 1, 1);
    btf_kit_type(&kit, "self", BTF_TYPEDEF, 0, 2);
    btf_kit_type(&kit, "task", BTF_STRUCT, 5, 64);
    btf_kit_member(&kit, NULL, 3, 0);
    btf_kit_member(&kit, NULL, 3, 0);
    btf_kit_member(&kit, NULL, 3, 0);
    btf_kit_member(&kit, "array", 1, 0);
    btf_kit_member(&kit, "self", 2, 0);
    end_types();
    CHECK_EQ(btf_size(&btf, 1), 0);
    CHECK_EQ(btf_size(&btf, 2), 0);
    CHECK_EQ(btf_size(&btf, 0), 0);
    before = kit.memory.left;
    CHECK(!find("task", "array", &field));
    CHECK(!find("task", "nothing", &field));
    CHECK(before - kit.memory.left < 3 * BTF_FIELDS_LOOKED * BTF_NAME_MAX);
    btf_kit_free(&kit);
}

TEST(no_more_than_the_budget)
{
    struct btf_wanted wanted = any("task");

    make_task();
    kit.memory.left = 20;
    CHECK(!btf_find_structs(&btf, &wanted, 1));
    CHECK_EQ(kit.memory.left, 0);
    btf_kit_free(&kit);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Types in memory, one after the other; the guest wrote each byte. */
#include <string.h>

#include "guest/btf/btf.h"
#include "tests/harness.h"

#define START 0xffffffff83000000ull
#define WORDS 8192u

static struct {
    uint16_t magic;
    uint8_t version, flags;
    uint32_t length, types, types_size, strings, strings_size;
    uint32_t words[WORDS];
} image;
static uint32_t used; /* words of types */
static struct btf btf;

static size_t read_image(void *self, uint64_t address, void *to, size_t size)
{
    uint64_t offset = address - START;

    (void)self;
    if ( offset >= sizeof(image) )
        return 0;
    if ( size > sizeof(image) - offset )
        size = sizeof(image) - offset;
    memcpy(to, (const uint8_t *)&image + offset, size);
    return size;
}

static struct guest_memory memory = {.read = read_image};

static void add(uint32_t word)
{
    CHECK(used < WORDS - 64);
    image.words[used++] = word;
}

static void add_type(uint32_t name, uint32_t kind, uint32_t count,
                     uint32_t size)
{
    add(name);
    add(kind << 24 | count);
    add(size);
}

static bool open_types(void)
{
    memory.left = 1 << 20;
    return btf_open(&btf, &memory, START, START + sizeof(image));
}

static const char texts[] = "\0one\0two\0three";

static void begin(void)
{
    memset(&image, 0, sizeof(image));
    used = 0;
}

/* After all types: the texts behind them. */
static void end_types(void)
{
    image.magic = 0xeb9f;
    image.version = 1;
    image.length = 24;
    image.types_size = 4 * used;
    image.strings = 4 * used;
    image.strings_size = sizeof(texts);
    memcpy(image.words + used, texts, sizeof(texts));
    CHECK(open_types());
}

TEST(a_header_that_contradicts_itself)
{
    begin();
    add_type(0, BTF_POINTER, 0, 1);
    end_types();
    image.magic++;
    CHECK(!open_types());
    image.magic--;
    image.version = 2;
    CHECK(!open_types());
    image.version = 1;
    image.length = 23;
    CHECK(!open_types());
    image.length = UINT32_MAX;
    CHECK(!open_types());
    image.length = 24;
    image.types_size = sizeof(image) - 23;
    CHECK(!open_types());
    image.types_size = UINT32_MAX;
    CHECK(!open_types());
    image.types_size = 12;
    image.strings = UINT32_MAX;
    CHECK(!open_types());
    image.strings = 12;
    CHECK(open_types());
    CHECK(!btf_open(&btf, &memory, START, START));
    CHECK(!btf_open(&btf, &memory, START, START - 1));
    CHECK(!btf_open(&btf, &memory, 0, 4096));
}

TEST(types_are_found_by_number)
{
    static const uint32_t ids[] = {7, 900, 300, 513, 256, 255, 1};
    struct btf_type type;

    begin();
    for ( uint32_t i = 1; i <= 1000; i++ )
    {
        /* Of different lengths. */
        add_type(0, i % 3 ? BTF_POINTER : BTF_ARRAY, 0, i);
        if ( i % 3 == 0 )
        {
            add(1);
            add(2);
            add(i);
        }
    }
    end_types();
    /* On from known places, and back. */
    for ( unsigned int i = 0; i < sizeof(ids) / sizeof(ids[0]); i++ )
    {
        CHECK(btf_type(&btf, ids[i], &type));
        CHECK_EQ(type.id, ids[i]);
        CHECK_EQ(type.size, ids[i]);
        CHECK_EQ(btf_elements(&btf, &type), ids[i] % 3 ? 0 : ids[i]);
    }
    CHECK(btf_type(&btf, 1000, &type));
    CHECK(!btf_next(&btf, &type));
    CHECK(btf_type(&btf, 3, &type));
    CHECK_EQ(type.size, 3);
    CHECK(!btf_type(&btf, 0, &type));
    CHECK(!btf_type(&btf, 1001, &type));
    CHECK(!btf_type(&btf, UINT32_MAX, &type));
}

/* The length of a kind that is not known is not known either. */
TEST(an_unknown_kind_ends_the_types)
{
    struct btf_type type;

    begin();
    add_type(0, BTF_POINTER, 0, 1);
    add_type(0, 31, 0, 1);
    add_type(0, BTF_POINTER, 0, 1);
    end_types();
    CHECK(btf_type(&btf, 1, &type));
    CHECK(!btf_next(&btf, &type));
    CHECK(!btf_type(&btf, 3, &type));
}

TEST(more_members_than_there_are_bytes)
{
    struct btf_member member;
    struct btf_type type;

    begin();
    add_type(1, BTF_STRUCT, 0xffff, 16);
    add(1);
    add(1);
    add(64);
    end_types();
    CHECK(btf_type(&btf, 1, &type));
    CHECK(!btf_next(&btf, &type));
    CHECK(btf_member(&btf, &type, 0, &member));
    CHECK_EQ(member.offset, 8);
    CHECK(!btf_member(&btf, &type, 1, &member));
    CHECK(!btf_member(&btf, &type, 0xffff, &member));
    CHECK(!btf_find_member(&btf, &type, "two", &member));
}

TEST(members_are_found_by_name)
{
    struct btf_member member;
    struct btf_type type;

    begin();
    add_type(9, BTF_STRUCT, 2, 16);
    image.words[1] |= 1u << 31; /* offsets have a size above them */
    add(1);
    add(7);
    add(0x08000020);
    add(5);
    add(8);
    add(0x01000041);
    end_types();
    CHECK(btf_type(&btf, 1, &type));
    CHECK(btf_is_named(&btf, type.name, "three"));
    CHECK(btf_find_member(&btf, &type, "one", &member));
    CHECK_EQ(member.type, 7);
    CHECK_EQ(member.offset, 4);
    CHECK(btf_find_member(&btf, &type, "two", &member));
    CHECK_EQ(member.offset, 8);
    CHECK(!btf_find_member(&btf, &type, "tw", &member));
    CHECK(!btf_find_member(&btf, &type, "", &member));
}

TEST(names_lie_in_the_texts)
{
    begin();
    add_type(0, BTF_POINTER, 0, 1);
    end_types();
    CHECK(btf_is_named(&btf, 9, "three"));
    CHECK(!btf_is_named(&btf, 9, "thre"));
    CHECK(!btf_is_named(&btf, 9, "three more"));
    CHECK(!btf_is_named(&btf, sizeof(texts), ""));
    CHECK(!btf_is_named(&btf, UINT32_MAX, "one"));
    memcpy((char *)(image.words + used) + sizeof(texts), "behind", 7);
    CHECK(!btf_is_named(&btf, sizeof(texts), "behind"));
    memcpy((char *)(image.words + used) + sizeof(texts) + 1, "behind", 7);
    CHECK(!btf_is_named(&btf, sizeof(texts) + 1, "behind"));
    CHECK(!btf_is_named(&btf, 1, "a name that is as long as no other one is"));
}

TEST(what_is_after_names_of_types)
{
    struct btf_type type, target;

    begin();
    add_type(0, BTF_STRUCT, 0, 8);  /* 1 */
    add_type(1, BTF_TYPEDEF, 0, 1); /* 2 */
    add_type(0, BTF_CONST, 0, 2);   /* 3 */
    add_type(0, BTF_POINTER, 0, 3); /* 4 */
    add_type(5, BTF_TYPEDEF, 0, 5); /* 5: of itself */
    add_type(0, BTF_ARRAY, 0, 0);   /* 6 */
    add(3);
    add(3);
    add(77);
    end_types();
    CHECK(btf_strip(&btf, 3, &type));
    CHECK_EQ(type.id, 1);
    CHECK(!btf_strip(&btf, 5, &type));
    CHECK(!btf_strip(&btf, 7, &type));
    CHECK(btf_type(&btf, 4, &type));
    CHECK(btf_target(&btf, &type, &target));
    CHECK_EQ(target.id, 1);
    CHECK(btf_type(&btf, 6, &type));
    CHECK(btf_target(&btf, &type, &target));
    CHECK_EQ(target.id, 1);
    CHECK_EQ(btf_elements(&btf, &type), 77);
    CHECK(btf_type(&btf, 1, &type));
    CHECK(!btf_target(&btf, &type, &target));
}

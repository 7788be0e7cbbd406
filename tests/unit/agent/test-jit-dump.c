/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dumps as their writers make them, in pieces, and what none would write. */
#include <string.h>

#include "agent/jit-dump.h"
#include "dump-kit.h"
#include "tests/harness.h"

static struct jit_dump dump;

/* Adds what there is, each record with so many bytes of it at once.  Returns
 * where it stopped. */
static size_t add(const struct dump_kit *kit, size_t piece)
{
    size_t at = 0;

    while ( at < kit->size )
    {
        size_t left = kit->size - at;
        size_t whole = jit_dump_add(&dump, kit->bytes + at,
                                    left < piece ? left : piece, left);

        if ( !whole || whole == JIT_DUMP_BROKEN )
            break;
        at += whole;
    }
    return at;
}

static const char *name_at(uint64_t address)
{
    const struct jit_function *found = jit_map_find(&dump.map, address);

    return found ? jit_map_name(&dump.map, found) : "";
}

static void check_names(void)
{
    CHECK_TEXT(name_at(0x1000), "first");
    CHECK_TEXT(name_at(0x100f), "first");
    CHECK_TEXT(name_at(0x1010), "");
    CHECK_TEXT(name_at(0x2008), "second");
}

TEST(functions_of_a_dump)
{
    static struct dump_kit kit;

    dump_kit_begin(&kit);
    dump_kit_load(&kit, 0x1000, 16, 1, "first", 5000);
    dump_kit_other(&kit, 2, 48);
    dump_kit_load(&kit, 0x2000, 64, 2, "second", 64);
    dump_kit_other(&kit, 3, 16);
    CHECK_EQ(add(&kit, kit.size), kit.size);
    check_names();
    CHECK(jit_dump_bytes(&dump) > 0);
    jit_dump_free(&dump);
    /* The code is not needed. */
    CHECK_EQ(add(&kit, 100), kit.size);
    check_names();
    jit_dump_free(&dump);
}

TEST(code_that_moves)
{
    static struct dump_kit kit;

    dump_kit_begin(&kit);
    dump_kit_load(&kit, 0x1000, 16, 7, "moved", 16);
    dump_kit_move(&kit, 0x1000, 0x3000, 16, 7);
    dump_kit_load(&kit, 0x1000, 16, 8, "new", 16);
    dump_kit_move(&kit, 0x9000, 0x4000, 16, 9); /* nobody knows it */
    CHECK_EQ(add(&kit, kit.size), kit.size);
    CHECK_TEXT(name_at(0x3001), "moved");
    CHECK_TEXT(name_at(0x1001), "new");
    CHECK_TEXT(name_at(0x4001), "");
    jit_dump_free(&dump);
}

/* Nothing is taken of a record that is being written. */
TEST(a_dump_that_grows)
{
    static struct dump_kit kit;
    size_t size;

    dump_kit_begin(&kit);
    dump_kit_load(&kit, 0x1000, 16, 1, "first", 16);
    size = kit.size;
    for ( kit.size = 0; kit.size < size; kit.size++ )
    {
        CHECK(add(&kit, kit.size) <= 40);
        CHECK_TEXT(name_at(0x1000), "");
        jit_dump_free(&dump);
    }
    CHECK_EQ(add(&kit, size), size);
    CHECK_TEXT(name_at(0x1000), "first");
    jit_dump_free(&dump);
}

TEST(files_that_are_not_dumps)
{
    static struct dump_kit kit;
    static const char zeroes[100];

    CHECK_EQ(jit_dump_add(&dump, zeroes, sizeof(zeroes), sizeof(zeroes)),
             JIT_DUMP_BROKEN);
    dump_kit_begin(&kit);
    kit.bytes[8] = 39; /* its head is too short */
    CHECK_EQ(add(&kit, kit.size), 0);
    dump_kit_begin(&kit);
    dump_kit_other(&kit, 0, 15);
    CHECK_EQ(add(&kit, kit.size), 40);
    jit_dump_free(&dump);
}

TEST(records_that_say_too_little)
{
    static struct dump_kit kit;
    static char name[JIT_LINE_MAX + 1];

    memset(name, 'a', JIT_LINE_MAX);
    dump_kit_begin(&kit);
    dump_kit_other(&kit, 0, 56); /* without a name */
    dump_kit_other(&kit, 1, 56);
    dump_kit_load(&kit, 0x1000, 16, 1, name, 16);
    dump_kit_load(&kit, 0x1000, 0, 1, "empty", 16);
    dump_kit_load(&kit, 0x1000, 16, 1, "", 16);
    CHECK_EQ(add(&kit, kit.size), kit.size);
    CHECK_EQ(dump.map.functions.count, 0);
    jit_dump_free(&dump);
}

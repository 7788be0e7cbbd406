/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of maps, also of those who lie. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/jit-map.h"
#include "tests/harness.h"

static struct jit_map map;

static void add(const char *text)
{
    CHECK_EQ(jit_map_add(&map, text, strlen(text)), strlen(text));
}

static const char *name_at(uint64_t address)
{
    const struct jit_function *function = jit_map_find(&map, address);

    return function ? jit_map_name(&map, function) : "";
}

TEST(functions_have_names)
{
    add("7f0000001000 20 LazyCompile:*work /srv/a b.js:3\n"
        "0x7f0000002000 0x10 py::main:/srv/x.py\n");
    CHECK_TEXT(name_at(0x7f0000000fff), "");
    CHECK_TEXT(name_at(0x7f0000001000), "LazyCompile:*work /srv/a b.js:3");
    CHECK_TEXT(name_at(0x7f000000101f), "LazyCompile:*work /srv/a b.js:3");
    CHECK_TEXT(name_at(0x7f0000001020), "");
    CHECK_TEXT(name_at(0x7f000000200f), "py::main:/srv/x.py");
    jit_map_free(&map);
}

TEST(the_last_one_wins)
{
    add("1000 100 first\n");
    add("1000 100 second\n1080 10 third\n");
    CHECK_TEXT(name_at(0x1001), "second");
    CHECK_TEXT(name_at(0x1080), "third");
    CHECK_TEXT(name_at(0x1090), "second");
    add("fc0 1000 fourth\n");
    CHECK_TEXT(name_at(0x1080), "fourth");
    jit_map_free(&map);
}

/* What has no end yet is read again with it. */
TEST(a_line_that_is_being_written)
{
    const char text[] = "1000 10 whole\n2000 10 ha";

    CHECK_EQ(jit_map_add(&map, text, strlen(text)), 14);
    CHECK_TEXT(name_at(0x1000), "whole");
    CHECK_TEXT(name_at(0x2000), "");
    jit_map_free(&map);
}

TEST(lines_that_name_no_function)
{
    char line[JIT_LINE_MAX + 64];

    add("\n\n1000\n1000 10\n1000 10 \nx000 10 name\n1000 x name\n 1000 10 name\n"
        "-1000 10 name\n1000 0 nothing\n11112222333344445 10 long\n");
    memset(line, 'a', sizeof(line));
    memcpy(line, "1000 10 ", 8);
    line[sizeof(line) - 2] = '\n';
    line[sizeof(line) - 1] = 0;
    add(line);
    CHECK_EQ(map.functions.count, 0);
    CHECK_TEXT(name_at(0x1000), "");
    add("ffffffffffffffff ffffffffffffffff all\n");
    CHECK_TEXT(name_at(UINT64_MAX), "all");
    CHECK_TEXT(name_at(0), "");
    jit_map_free(&map);
}

TEST(functions_without_end)
{
    char line[64];

    for ( unsigned int i = 0; i < JIT_FUNCTIONS_MAX + 7; i++ )
    {
        snprintf(line, sizeof(line), "%x 10 f%x\n", 16 * i, i);
        add(line);
    }
    CHECK_EQ(map.functions.count, JIT_FUNCTIONS_MAX);
    CHECK_EQ(map.refused, 7);
    CHECK_TEXT(name_at(16 * 0xabcd + 3), "fabcd");
    CHECK_TEXT(name_at(16 * JIT_FUNCTIONS_MAX), "");
    CHECK(jit_map_bytes(&map) < 8u << 20);
    jit_map_free(&map);
}

TEST(functions_that_begin_within)
{
    const struct jit_function *first;

    CHECK_EQ(jit_map_within(&map, 0, UINT64_MAX, &first), 0);
    add("2000 10 c\n1000 10 a\n1000 20 b\nffffffffffffffff 1 last\n");
    CHECK_EQ(jit_map_within(&map, 0x1000, 0x2001, &first), 3);
    CHECK_TEXT(jit_map_name(&map, &first[0]), "a");
    CHECK_TEXT(jit_map_name(&map, &first[1]), "b");
    CHECK_TEXT(jit_map_name(&map, &first[2]), "c");
    CHECK_EQ(jit_map_within(&map, 0x1001, 0x2000, &first), 0);
    CHECK_EQ(jit_map_within(&map, 0, UINT64_MAX, &first), 3);
    CHECK_EQ(jit_map_within(&map, 0x2000, 0x1000, &first), 0);
    CHECK_EQ(jit_map_within(&map, 0, 0, &first), 0);
    jit_map_free(&map);
}

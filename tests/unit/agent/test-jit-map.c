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

/* As jcmd PID Compiler.perfmap and -XX:+DumpPerfMapAtExit write it: blobs of
 * the virtual machine's, then methods with what they return and take. */
TEST(a_map_of_java_s)
{
    add("0x00007f3d0ee8f500 0x0000000000000ac0 "
        "flush_icache_stub\n"
        "0x00007f3d0ee98000 0x0000000000012a40 Interpreter\n"
        "0x00007f3d0eeb1010 0x0000000000000190 "
        "RuntimeStub - _new_instance_Java\n"
        "0x00007f3d0eeb2000 0x0000000000000020 [stub]\n"
        "0x00007f3d16a3c5a0 0x00000000000001d8 "
        "java.util.HashMap$Node java.util.HashMap.getNode(java.lang.Object)\n"
        "0x00007f3d16a3d000 0x0000000000000060 "
        "void java.lang.Object.<init>()\n"
        "0x00007f3d16a3e000 0x0000000000000100 "
        "int Main.lambda$main$0(int[], java.lang.String[])\n");
    CHECK_TEXT(name_at(0x7f3d0ee8f500), "flush_icache_stub");
    CHECK_TEXT(name_at(0x7f3d0eeaaa3f), "Interpreter");
    CHECK_TEXT(name_at(0x7f3d0eeaaa40), "");
    CHECK_TEXT(name_at(0x7f3d0eeb1010), "RuntimeStub - _new_instance_Java");
    CHECK_TEXT(name_at(0x7f3d0eeb201f), "[stub]");
    CHECK_TEXT(name_at(0x7f3d16a3c5a8),
               "java.util.HashMap$Node "
               "java.util.HashMap.getNode(java.lang.Object)");
    CHECK_TEXT(name_at(0x7f3d16a3d05f), "void java.lang.Object.<init>()");
    CHECK_TEXT(name_at(0x7f3d16a3e000),
               "int Main.lambda$main$0(int[], java.lang.String[])");
    CHECK_EQ(map.functions.count, 7);
    jit_map_free(&map);
}

/* As its agent for perf writes it, on and on: without 0x; a method is compiled
 * anew elsewhere, and another one comes to where it was. */
TEST(a_map_of_java_s_agent)
{
    add("7f3d0ee98000 12a40 Interpreter\n"
        "7f3d16a3c5a0 1d8 Ljava/util/HashMap;::getNode\n"
        "7f3d16a40000 300 Ljava/util/HashMap;::getNode\n"
        "7f3d16a3c600 80 LMain$Inner;::<clinit>\n");
    CHECK_TEXT(name_at(0x7f3d16a3c5ff), "Ljava/util/HashMap;::getNode");
    CHECK_TEXT(name_at(0x7f3d16a3c600), "LMain$Inner;::<clinit>");
    CHECK_TEXT(name_at(0x7f3d16a402ff), "Ljava/util/HashMap;::getNode");
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whole tables: what is counted, what is refused, and the bytes. */
#include "hypervisor/xen-stack/unwind-check.h"
#include "module/unwind/unwind-table.h"
#include "tests/harness.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESS   0xffff82d040200000ull
#define TEXT_MAX  131072u
#define FUNCTIONS 4096u

static uint8_t text[TEXT_MAX];
static char symbols[FUNCTIONS * 64];
static size_t text_size, symbols_size;
static struct xenoprof_unwind *table;
static struct unwind_report report;

static void add_function(const char *name, const void *code, size_t size)
{
    symbols_size += snprintf(symbols + symbols_size,
                             sizeof(symbols) - symbols_size, "%llx t %s\n",
                             (unsigned long long)(ADDRESS + text_size), name);
    CHECK(text_size + size + 16 < TEXT_MAX && symbols_size < sizeof(symbols));
    memcpy(text + text_size, code, size);
    text_size += size;
    while ( text_size % 16 )
        text[text_size++] = 0xcc;
}

#define ADD(name, ...)                                                         \
    do                                                                         \
    {                                                                          \
        static const uint8_t code_[] = {__VA_ARGS__};                          \
                                                                               \
        add_function(name, code_, sizeof(code_));                              \
    } while ( 0 )

static int generate(void)
{
    struct xen_range range = {
        .address = ADDRESS, .bytes = text, .size = text_size};
    struct xen_image image;
    int result;

    CHECK_EQ(xen_image_open_text(&image, &range, symbols, symbols_size), 0);
    result = unwind_generate(&image, NULL, &table, &report);
    xen_image_close(&image);
    text_size = symbols_size = 0;
    return result;
}

static void free_table(void)
{
    free(table);
    table = NULL;
}

#define PUSH_RBX 0x53
#define POP_RBX  0x5b
#define RET      0xc3
#define UD2      0x0f, 0x0b
#define NOP      0x90

TEST(everything_but_padding_is_counted)
{
    ADD("one", PUSH_RBX, POP_RBX, RET);
    ADD("two", NOP, RET);
    ADD("s3_resume", NOP, NOP);
    CHECK_EQ(generate(), 0);
    CHECK_EQ(report.instructions, 5);
    CHECK_EQ(report.kinds[XENOPROF_UNWIND_RSP], 5);
    CHECK_EQ(report.unknown, 0);
    CHECK_EQ(report.unreached, 0);
    CHECK_EQ(report.covered, 10000);
    CHECK_EQ(report.bytes, table->size);
    CHECK_EQ(report.gap_count, 0);
    CHECK_TEXT(report.error, "");
    free_table();
}

/* 100 functions of 3 instructions, and a few that nothing reaches. */
static void add_covered(unsigned int count)
{
    for ( unsigned int i = 0; i < count; i++ )
    {
        char name[32];
        static const uint8_t code[] = {PUSH_RBX, POP_RBX, RET};

        snprintf(name, sizeof(name), "fine_%u", i);
        add_function(name, code, sizeof(code));
    }
}

TEST(less_than_99_percent_is_refused)
{
    add_covered(100);
    ADD("broken", UD2, PUSH_RBX, PUSH_RBX, POP_RBX, POP_RBX);
    CHECK_EQ(generate(), -ENODATA);
    CHECK(!table);
    CHECK_EQ(report.instructions, 305);
    CHECK_EQ(report.unreached, 4);
    CHECK_EQ(report.covered, 9868);
    CHECK_EQ(report.gap_count, 1);
    CHECK_TEXT(report.gaps[0].name, "broken");
    CHECK_EQ(report.gaps[0].unreached, 4);
    CHECK(strstr(report.error, "98.68 %"));
}

TEST(a_little_may_be_missing)
{
    char line[128];

    add_covered(100);
    /* je over a push: two paths with two depths meet after it. */
    ADD("conflict", 0x74, 0x01, PUSH_RBX, RET);
    ADD("broken", UD2, POP_RBX);
    CHECK_EQ(generate(), 0);
    CHECK_EQ(report.instructions, 305);
    CHECK_EQ(report.unknown, 1);
    CHECK_EQ(report.unreached, 1);
    CHECK_EQ(report.covered, 9934);
    CHECK_EQ(report.gap_count, 2);
    report.milliseconds = 7;
    report.bytes = 2000;
    unwind_report_line(&report, line, sizeof(line));
    CHECK_TEXT(line, "callers are known in 99.34 % of Xen's code, by a table "
                     "of 2 KB that took 7 ms");
    free_table();
}

/* Entry code, and code on other stacks, do not count. */
TEST(entry_code_is_not_counted)
{
    add_covered(10);
    ADD("ret_from_intr", PUSH_RBX, UD2);
    ADD("kexec_reloc", PUSH_RBX, RET);
    CHECK_EQ(generate(), 0);
    CHECK_EQ(report.instructions, 34);
    CHECK_EQ(report.entry, 2);
    CHECK_EQ(report.apart, 2);
    CHECK_EQ(report.kinds[XENOPROF_UNWIND_ENTRY], 2);
    CHECK_EQ(report.covered, 10000);
    free_table();
}

TEST(no_code_at_all)
{
    ADD("nothing");
    symbols_size = snprintf(symbols, sizeof(symbols), "%llx t nothing\n",
                            ADDRESS);
    text_size = 0;
    CHECK_EQ(generate(), -ENODATA);
    CHECK(!table);
    CHECK(*report.error);
}

/* A function with a frame of that many words. */
static void add_frame(unsigned int words)
{
    uint8_t code[] = {0x48, 0x81, 0xec, 0, 0, 0, 0, NOP,
                      0x48, 0x81, 0xc4, 0, 0, 0, 0, RET};
    uint32_t bytes = words * 8;
    char name[32];

    memcpy(code + 3, &bytes, sizeof(bytes));
    memcpy(code + 11, &bytes, sizeof(bytes));
    snprintf(name, sizeof(name), "frame_%u", words);
    add_function(name, code, sizeof(code));
}

/* Only 256 states fit: those that are used most are kept, and instructions with
 * other states are not known and not covered. */
TEST(too_many_states)
{
    struct unwind_table checked;

    for ( unsigned int words = 1; words <= 300; words++ )
        add_frame(words);
    for ( unsigned int i = 0; i < 400; i++ )
    {
        add_frame(1);
        add_frame(300);
    }
    CHECK_EQ(generate(), -ENODATA);
    CHECK_EQ(report.instructions, 1100 * 4);
    /* 1 for unknown, 1 for no frame: 254 of 300 frames are left. */
    CHECK_EQ(report.unknown, 46 * 2);
    for ( unsigned int i = 0; i < 3000; i++ )
        add_frame(i < 256 ? i + 1 : 1 + i % 100);
    CHECK_EQ(generate(), 0);
    CHECK_EQ(table->states, XENOPROF_UNWIND_STATES);
    CHECK(unwind_check(table, table->size, 0, &checked));
    CHECK_EQ(unwind_find(&checked, ADDRESS)->kind, XENOPROF_UNWIND_RSP);
    CHECK_EQ(unwind_find(&checked, ADDRESS + 7)->cfa, 16);
    free_table();
}

/* A distance that a row cannot hold. */
TEST(a_frame_too_large)
{
    add_covered(100);
    add_frame(5000);
    CHECK_EQ(generate(), 0);
    CHECK_EQ(report.unknown, 2);
    free_table();
}

TEST(the_same_code_makes_the_same_table)
{
    struct xenoprof_unwind *first;

    add_covered(50);
    CHECK_EQ(generate(), 0);
    first = table;
    add_covered(50);
    CHECK_EQ(generate(), 0);
    CHECK_EQ(first->size, table->size);
    CHECK(!memcmp(first, table, first->size));
    free(first);
    free_table();
}

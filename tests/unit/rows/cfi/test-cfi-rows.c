/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call frame information in, rules out: what compilers write, what nobody
 * should, and what is damaged. */
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/scope.h"
#include "cfi-kit.h"
#include "rows/cfi/cfi-rows.h"
#include "rows/cfi/cfi-run.h"
#include "tests/harness.h"

#define BYTES(...)                                                             \
    (const uint8_t[]){__VA_ARGS__}, sizeof((const uint8_t[]){__VA_ARGS__})
#define SIZE 0x1000u /* of the code */

static struct cfi_kit kit;
static size_t bad;

static void clear(bool debug)
{
    kit.used = 0;
    kit.debug = debug;
}

static void start(const char *letters)
{
    clear(false);
    cfi_kit_cie(&kit, letters, NULL, 0);
}

static struct row_table *make(void)
{
    static const struct row_segment segment = {0x1000, CFI_KIT_TEXT, SIZE};
    const struct cfi_section section = cfi_kit_section(&kit);
    struct row_builder builder;
    struct row_table *table;

    CHECK(row_builder_init(&builder, &segment, 1));
    bad = cfi_rows(&section, &builder);
    table = row_builder_make(&builder);
    CHECK(table);
    row_builder_free(&builder);
    return table;
}

/* The rule at an offset in the code, of a section that is made for it. */
static struct row_rule rule_at(uint64_t offset)
{
    struct row_table *table = make();
    struct row_rule rule = *row_table_find(table, CFI_KIT_TEXT + offset);

    row_table_close(table);
    return rule;
}

static void check_rule(struct row_rule rule, enum row_rule_kind kind,
                       int32_t offset)
{
    CHECK_EQ(rule.kind, kind);
    CHECK_EQ(rule.offset * ROW_WORD, offset);
}

/* push %rbp; mov %rsp,%rbp; ... leave; ret */
static void put_plain(uint64_t at)
{
    cfi_kit_fde(
        &kit, at, 0x40,
        BYTES(0x41, 0x0e, 16, 0x86, 2, 0x43, 0x0d, 6, 0x02, 0x30, 0x0c, 7, 8));
}

TEST(a_function_with_a_frame_pointer)
{
    struct row_rule rule;

    for ( int debug = 0; debug < 2; debug++ )
    {
        clear(debug);
        cfi_kit_cie(&kit, "", NULL, 0);
        put_plain(0x100);
        check_rule(rule_at(0x0ff), RULE_NONE, 0);
        check_rule(rule_at(0x100), RULE_SP, 8);
        rule = rule_at(0x101);
        check_rule(rule, RULE_SP, 16);
        CHECK_EQ(rule.bp, SAVED_AT_CFA);
        CHECK_EQ(rule.bp_offset * ROW_WORD, -16);
        check_rule(rule_at(0x104), RULE_BP, 16);
        check_rule(rule_at(0x133), RULE_BP, 16);
        check_rule(rule_at(0x134), RULE_SP, 8);
        check_rule(rule_at(0x13f), RULE_SP, 8);
        check_rule(rule_at(0x140), RULE_NONE, 0);
        CHECK_EQ(bad, 0);
    }
}

TEST(states_are_remembered_and_registers_restored)
{
    struct row_rule rule;

    start("");
    cfi_kit_fde(&kit, 0, 0x40,
                BYTES(0x44, 0x0e, 24, 0x83, 3, 0x0a, 0x44, 0x0e, 16, 0xc3, 0x44,
                      0x0b, 0x44, 0x08, 3));
    rule = rule_at(4);
    check_rule(rule, RULE_SP, 24);
    CHECK_EQ(rule.bx, SAVED_AT_CFA);
    CHECK_EQ(rule.bx_offset * ROW_WORD, -24);
    rule = rule_at(8);
    check_rule(rule, RULE_SP, 16);
    CHECK_EQ(rule.bx, SAVED_NOT);
    rule = rule_at(12);
    check_rule(rule, RULE_SP, 24);
    CHECK_EQ(rule.bx, SAVED_AT_CFA);
    CHECK_EQ(rule_at(16).bx, SAVED_NOT);
}

TEST(all_ways_to_say_an_offset)
{
    start("");
    cfi_kit_fde(&kit, 0, 0x40,
                BYTES(0x05, 6, 2, 0x42, 0x11, 6, 3, 0x42, 0x2f, 6, 4, 0x42,
                      0x12, 7, 0x7c, 0x42, 0x13, 0x7d, 0x42, 0x0c, 7, 0x80,
                      0x01));
    CHECK_EQ(rule_at(0).bp_offset * ROW_WORD, -16);
    CHECK_EQ(rule_at(2).bp_offset * ROW_WORD, -24);
    CHECK_EQ(rule_at(4).bp_offset * ROW_WORD, 32);
    check_rule(rule_at(6), RULE_SP, 32);
    check_rule(rule_at(8), RULE_SP, 24);
    check_rule(rule_at(10), RULE_SP, 128);
}

TEST(all_ways_to_go_on)
{
    start("");
    cfi_kit_fde(&kit, 0, 0x400,
                BYTES(0x02, 0x10, 0x0e, 16, 0x03, 0x00, 0x01, 0x0e, 24, 0x04,
                      0x10, 0, 0, 0, 0x0e, 32, 0x2e, 8, 0x00));
    check_rule(rule_at(0x0f), RULE_SP, 8);
    check_rule(rule_at(0x10), RULE_SP, 16);
    check_rule(rule_at(0x10f), RULE_SP, 16);
    check_rule(rule_at(0x110), RULE_SP, 24);
    check_rule(rule_at(0x120), RULE_SP, 32);
    check_rule(rule_at(0x3ff), RULE_SP, 32);
}

TEST(four_expressions)
{
    struct row_rule rule;

    start("");
    cfi_kit_fde(&kit, 0, 0x10,
                BYTES(0x0f, 11, 0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33,
                      0x24, 0x22));
    rule = rule_at(0);
    check_rule(rule, RULE_PLT, 0);
    CHECK_EQ(rule.extra, 11);

    start("");
    cfi_kit_fde(&kit, 0, 0x10,
                BYTES(0x0f, 3, 0x76, 0x78, 0x06, 0x10, 6, 2, 0x76, 0, 0x10, 3,
                      2, 0x76, 0x70));
    rule = rule_at(0);
    check_rule(rule, RULE_AT_BP, -8);
    CHECK_EQ(rule.bp, SAVED_AT_BP);
    CHECK_EQ(rule.bx, SAVED_AT_BP);
    CHECK_EQ(rule.bx_offset * ROW_WORD, -16);

    start("");
    cfi_kit_fde(&kit, 0, 0x10, BYTES(0x0f, 5, 0x77, 0x78, 0x06, 0x23, 8));
    rule = rule_at(0);
    check_rule(rule, RULE_AT_SP, -8);
    CHECK_EQ(rule.extra, 8);
}

/* What glibc says of the frame that the kernel makes for a signal. */
static void put_signal(uint8_t bp)
{
    start("S");
    cfi_kit_fde(&kit, 0, 0x10,
                BYTES(0x0f, 4, 0x77, 0xa0, 0x01, 0x06, 0x10, 6, 3, 0x77, bp, 0,
                      0x10, 3, 3, 0x77, 0x80, 0x01, 0x10, 16, 3, 0x77, 0xa8,
                      0x01));
}

TEST(a_signal_frame)
{
    put_signal(0xf8);
    check_rule(rule_at(0), RULE_SIGNAL, 160);
    put_signal(0xf0);
    check_rule(rule_at(0), RULE_UNKNOWN, 0);
    /* Plain rules of what is called a signal frame. */
    start("S");
    put_plain(0);
    check_rule(rule_at(4), RULE_BP, 16);
    /* Another letter, which nobody knows. */
    put_signal(0xf8);
    kit.bytes[11] = 'B';
    check_rule(rule_at(0), RULE_NONE, 0);
    CHECK_EQ(bad, 1);
}

TEST(what_cannot_be_followed)
{
    start("");
    cfi_kit_fde(&kit, 0, 0x10, BYTES(0x07, 16));
    check_rule(rule_at(0), RULE_ROOT, 0);
    start("");
    cfi_kit_fde(&kit, 0, 0x10, BYTES(0x80 | 16, 2));
    check_rule(rule_at(0), RULE_UNKNOWN, 0);
    start("");
    cfi_kit_fde(&kit, 0, 0x10, BYTES(0x0f, 2, 0x77, 8));
    check_rule(rule_at(0), RULE_UNKNOWN, 0);
    start("");
    cfi_kit_fde(&kit, 0, 0x10, BYTES(0x0c, 17, 8));
    check_rule(rule_at(0), RULE_UNKNOWN, 0);
    start("");
    cfi_kit_fde(&kit, 0, 0x10, BYTES(0x0c, 7, 0x80, 0x80, 0x80, 0x80, 0x08));
    check_rule(rule_at(0), RULE_UNKNOWN, 0);
    start("");
    cfi_kit_fde(&kit, 0, 0x10, BYTES(0x0c, 10, 0, 0x09, 6, 8, 0x14, 3, 1));
    check_rule(rule_at(0), RULE_REGISTER, 0);
    CHECK_EQ(rule_at(0).extra, 10);
    CHECK_EQ(rule_at(0).bp, SAVED_LOST);
    CHECK_EQ(rule_at(0).bx, SAVED_LOST);
}

/* What was said before an instruction that makes no sense stays. */
static void check_broken(const uint8_t *code, size_t size)
{
    uint8_t bytes[64] = {0x44, 0x0e, 16, 0x44};

    memcpy(bytes + 4, code, size);
    start("");
    cfi_kit_fde(&kit, 0, 0x10, bytes, 4 + size);
    check_rule(rule_at(0), RULE_SP, 8);
    check_rule(rule_at(4), RULE_SP, 16);
    check_rule(rule_at(8), RULE_UNKNOWN, 0);
    check_rule(rule_at(15), RULE_UNKNOWN, 0);
    check_rule(rule_at(16), RULE_NONE, 0);
}

TEST(instructions_that_make_no_sense)
{
    check_broken(BYTES(0x3f));             /* unknown */
    check_broken(BYTES(0x0b));             /* nothing was remembered */
    check_broken(BYTES(0x0f, 0x7f, 0x77)); /* beyond the end */
    check_broken(BYTES(0x10, 6, 0xff, 0xff, 0xff, 0xff, 0x0f, 0x77));
    check_broken(BYTES(0x0c, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
                       0xff, 0xff, 0xff, 0xff)); /* a number without end */
}

TEST(states_are_nested)
{
    uint8_t code[2 * CFI_STACK + 3];

    memset(code, 0x0a, CFI_STACK);
    memcpy(code + CFI_STACK, (const uint8_t[]){0x0e, 16, 0x44}, 3);
    memset(code + CFI_STACK + 3, 0x0b, CFI_STACK);
    start("");
    cfi_kit_fde(&kit, 0, 0x10, code, sizeof(code));
    check_rule(rule_at(0), RULE_SP, 16);
    check_rule(rule_at(4), RULE_SP, 8);
    memset(code, 0x0a, sizeof(code));
    start("");
    cfi_kit_fde(&kit, 0, 0x10, code, CFI_STACK + 1);
    check_rule(rule_at(0), RULE_UNKNOWN, 0);
}

/* An advance beyond the function, or by more than there is, ends it. */
TEST(places_stay_in_the_function)
{
    start("");
    cfi_kit_fde(&kit, 0, 0x10,
                BYTES(0x04, 0xff, 0xff, 0xff, 0xff, 0x0e, 16, 0x44, 0x0e, 24));
    check_rule(rule_at(15), RULE_SP, 8);
    check_rule(rule_at(16), RULE_NONE, 0);
    start("");
    cfi_kit_fde(&kit, 0x20, 0x10,
                BYTES(0x44, 0x0e, 16, 0x01, 0, 0, 0, 0x80, 0x0e, 24));
    check_rule(rule_at(0x24), RULE_SP, 16);
    check_rule(rule_at(0), RULE_NONE, 0);
}

TEST(entries_that_make_no_sense_are_passed_over)
{
    size_t broken;

    start("");
    put_plain(0);
    broken = kit.used;
    put_plain(0x80);
    put_plain(0x100);
    memset(kit.bytes + broken + 4, 0x11, 4); /* of no CIE */
    check_rule(rule_at(0), RULE_SP, 8);
    CHECK_EQ(bad, 1);
    check_rule(rule_at(0x80), RULE_NONE, 0);
    check_rule(rule_at(0x100), RULE_SP, 8);
    /* Beyond the section: nothing of what follows is read. */
    memset(kit.bytes + broken, 0x11, 4);
    check_rule(rule_at(0), RULE_SP, 8);
    check_rule(rule_at(0x100), RULE_NONE, 0);
}

TEST(several_lists_in_one_section)
{
    start("");
    put_plain(0);
    cfi_kit_word(&kit, 0, 4);
    cfi_kit_cie(&kit, "", NULL, 0);
    put_plain(0x80);
    check_rule(rule_at(0x80), RULE_SP, 8);
    check_rule(rule_at(0), RULE_SP, 8);
}

static void check_letters(const char *letters, unsigned int wanted)
{
    start(letters);
    put_plain(0);
    rule_at(0);
    CHECK_EQ(bad, wanted);
}

TEST(augmentations)
{
    /* All that follows R has to have data, and here it has none. */
    check_letters("", 0);
    check_letters("S", 0);
    check_letters("L", 1);
    check_letters("P", 1);
    check_letters("X", 1);
    check_letters("SSSSSSSSSSSS", 0);
    check_letters("SSSSSSSSSSSSSSSS", 1); /* more than anybody writes */
    /* Longer than the entry. */
    start("");
    put_plain(0);
    CHECK_EQ(kit.bytes[kit.cie + 15], 1);
    kit.bytes[kit.cie + 15] = 0x7f;
    rule_at(0);
    CHECK_EQ(bad, 1);
    /* An encoding that goes through memory. */
    start("");
    put_plain(0);
    kit.bytes[kit.cie + 16] |= 0x80;
    CHECK_EQ(kit.bytes[kit.cie + 16], 0x9b);
    rule_at(0);
    CHECK_EQ(bad, 1);
}

TEST(long_cies_are_not_run)
{
    static const uint8_t nops[CFI_CIE_MAX];

    clear(false);
    cfi_kit_cie(&kit, "", nops, sizeof(nops) - 16);
    put_plain(0);
    rule_at(0);
    CHECK_EQ(bad, 0);
    clear(false);
    cfi_kit_cie(&kit, "", nops, sizeof(nops));
    put_plain(0);
    rule_at(0);
    CHECK_EQ(bad, 1);
}

/* Each cut of a section is read without harm, and says nothing new. */
/* The rest of a section costs nothing. */
TEST(no_table_will_be_made)
{
    static const struct row_segment segment = {0x1000, CFI_KIT_TEXT, SIZE};
    struct cfi_section section;
    struct row_builder builder;

    start("");
    put_plain(0x100);
    section = cfi_kit_section(&kit);
    for ( int memory = 0; memory < 2; memory++ )
    {
        CHECK(row_builder_init(&builder, &segment, 1));
        CHECK(!row_builder_failed(&builder));
        builder.no_memory = memory;
        builder.too_many = !memory;
        CHECK_EQ(cfi_rows(&section, &builder), 0);
        CHECK_EQ(builder.functions.count, 0);
        CHECK(!row_builder_make(&builder));
        row_builder_free(&builder);
    }
}

TEST(cut_anywhere)
{
    size_t whole;

    start("");
    put_plain(0);
    cfi_kit_cie(&kit, "S", NULL, 0);
    put_plain(0x80);
    whole = kit.used;
    for ( kit.used = 0; kit.used < whole; kit.used++ )
    {
        struct row_table *table = make();

        CHECK_EQ(row_table_find(table, CFI_KIT_TEXT + 0x80)->kind, RULE_NONE);
        row_table_close(table);
    }
}

/* FDEs that say in turns that their CIE is one of two ends of lists, with many
 * more behind these: were each time all passed over, that would be 10^10. */
TEST(where_a_cie_should_be_and_is_none)
{
    const size_t count = 1 << 17;
    uint32_t *words SCOPE_FREE = calloc(3 * count, 4);
    const struct cfi_section section = {
        .bytes = (void *)words, .size = 3 * count * 4, .debug = true};
    struct row_builder builder = {.too_many = false};
    uint64_t before = clock_read(CLOCK_PROCESS_CPUTIME_ID);

    CHECK(words);
    for ( size_t i = 0; i < count; i++ )
    {
        words[count + 2 * i] = 4;
        words[count + 2 * i + 1] = i % 2 ? 64 : 0;
    }
    CHECK_EQ(cfi_rows(&section, &builder), count);
    CHECK(clock_read(CLOCK_PROCESS_CPUTIME_ID) - before < 3000000000u);
}

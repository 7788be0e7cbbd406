/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session says of code is found again, and anybody's has its limits. */
#include "report/kept/kept-code.h"
#include "tests/harness.h"

static const uint8_t some[XENOPROF_CODE_MAX];

static const struct xenoprof_function function = {.start = 0x100,
                                                  .image = "kernel",
                                                  .symbol = "f",
                                                  .mode = XENOPROF_MODE_KERNEL};

struct kept_kit {
    struct kept_code code;
    struct names names;
};

static void kept_kit_begin(struct kept_kit *kit)
{
    kept_init(&kit->code);
    names_init(&kit->names);
}

static void kept_kit_end(struct kept_kit *kit)
{
    kept_free(&kit->code);
    names_free(&kit->names);
}

static void add_code(struct kept_kit *kit, uint64_t start, uint32_t size)
{
    struct xenoprof_item item = {
        .kind = XENOPROF_ITEM_CODE,
        .u.code = {function, some, size, XENOPROF_CODE_CHECKED, "/vmlinux", 0}};

    item.u.code.function.start = start;
    kept_add(&kit->code, &kit->names, 3, &item);
}

static void add_at(struct kept_kit *kit, uint64_t start, uint32_t offset,
                   uint32_t line)
{
    struct xenoprof_item item = {.kind = XENOPROF_ITEM_INSTRUCTION,
                                 .u.instruction = {.function = function,
                                                   .offset = offset,
                                                   .line = line,
                                                   .path = "f.c",
                                                   .name = ""}};

    item.u.instruction.function.start = start;
    kept_add(&kit->code, &kit->names, 3, &item);
}

static void add_line(struct kept_kit *kit, uint32_t line, const char *text)
{
    const struct xenoprof_item item = {
        .kind = XENOPROF_ITEM_SOURCE,
        .u.source = {function, line, "f.c", text}};

    kept_add(&kit->code, &kit->names, 3, &item);
}

static const struct kept_function *find(struct kept_kit *kit, uint64_t start)
{
    struct kept_key key = {
        .start = start, .domain = 3, .mode = XENOPROF_MODE_KERNEL};

    CHECK(names_find(&kit->names, "kernel", &key.image) &&
          names_find(&kit->names, "f", &key.symbol));
    return kept_find(&kit->code, &key);
}

TEST(code_is_found_again)
{
    const struct kept_function *found;
    struct kept_kit kit;

    kept_kit_begin(&kit);
    add_code(&kit, 0x100, 20);
    add_code(&kit, 0x100, 30); /* what was said first counts */
    add_at(&kit, 0x100, 2, 7);
    add_at(&kit, 0x100, 9, 8);
    add_line(&kit, 7, "f();");
    add_line(&kit, 7, "g();");
    found = find(&kit, 0x100);
    CHECK(found);
    CHECK_EQ(found->size, 20);
    CHECK_EQ(found->from, XENOPROF_CODE_CHECKED);
    CHECK_TEXT(names_text(&kit.names, found->file), "/vmlinux");
    CHECK(!kept_instruction_at(found, 1));
    CHECK_EQ(kept_instruction_at(found, 2)->line, 7);
    CHECK_EQ(kept_instruction_at(found, 8)->line, 7);
    CHECK_EQ(kept_instruction_at(found, UINT64_MAX)->line, 8);
    CHECK_TEXT(kept_source_line(&kit.code, &kit.names, "f.c", 7), "f();");
    CHECK(!kept_source_line(&kit.code, &kit.names, "f.c", 8));
    CHECK(!kept_source_line(&kit.code, &kit.names, "g.c", 7));
    CHECK(!find(&kit, 0x101));
    kept_kit_end(&kit);
}

TEST(what_fits_no_function_is_passed_over)
{
    struct kept_kit kit;

    kept_kit_begin(&kit);
    add_at(&kit, 0x100, 0, 7); /* there is no code */
    add_code(&kit, 0x100, 20);
    add_at(&kit, 0x100, 20, 7); /* behind its end */
    add_at(&kit, 0x100, 5, 8);
    add_at(&kit, 0x100, 5, 9); /* not behind the one before */
    add_at(&kit, 0x100, 4, 9);
    CHECK_EQ(find(&kit, 0x100)->instructions.count, 1);
    CHECK_EQ(kept_instruction_at(find(&kit, 0x100), 19)->line, 8);
    kept_kit_end(&kit);
}

TEST(what_a_session_brings_is_bounded)
{
    struct kept_kit kit;

    kept_kit_begin(&kit);
    for ( uint32_t i = 0; i < KEPT_FUNCTIONS_MAX + 9; i++ )
        add_code(&kit, i, XENOPROF_CODE_MAX);
    CHECK(kit.code.functions.count <= KEPT_FUNCTIONS_MAX);
    CHECK(kit.code.bytes <= KEPT_BYTES_MAX);
    CHECK(find(&kit, KEPT_BYTES_MAX / XENOPROF_CODE_MAX - 1));
    CHECK(!find(&kit, KEPT_BYTES_MAX / XENOPROF_CODE_MAX + 1));
    for ( uint32_t i = 0; i < KEPT_INSTRUCTIONS_MAX + 9; i++ )
        add_at(&kit, i / XENOPROF_CODE_MAX, i % XENOPROF_CODE_MAX, 7);
    CHECK_EQ(kit.code.instructions, KEPT_INSTRUCTIONS_MAX);
    for ( uint32_t i = 0; i < KEPT_SOURCES_MAX + 9; i++ )
        add_line(&kit, i + 1, "f();");
    CHECK_EQ(kit.code.sources.count, KEPT_SOURCES_MAX);
    kept_kit_end(&kit);
    kept_kit_begin(&kit);
    for ( uint32_t i = 0; i < KEPT_FUNCTIONS_MAX + 9; i++ )
        add_code(&kit, i, 1);
    CHECK_EQ(kit.code.functions.count, KEPT_FUNCTIONS_MAX);
    kept_kit_end(&kit);
}

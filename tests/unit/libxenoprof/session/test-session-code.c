/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The code of functions in a session: it comes back as it was said, also from a
 * copy, and whatever a file says, what comes back has its limits.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "libxenoprof/session/session-writer.h"
#include "tests/unit/libxenoprof/session/session-kit.h"

static const uint8_t bytes[] = {0x90, 0, 0xc3};

static const struct xenoprof_function in_xen = {
    .start = 0x100, .image = "xen", .symbol = "f", .mode = XENOPROF_MODE_XEN};
static const struct xenoprof_function in_kernel = {
    .start = 0x200,
    .image = "kernel",
    .symbol = "g",
    .domain = 5,
    .mode = XENOPROF_MODE_KERNEL};

#define SAID                                                                   \
    "domain 1 5 07000000000000000000000000000000 web passive\n"                \
    "code of 0 0000 mode 0 xen f 100: 90 00 c3 (2) from 1 xen-syms\n"          \
    "code of 5 0700 mode 1 kernel g 200: 90 00 c3 (0) from 2 \n"               \
    "instruction of 0 0000 mode 0 xen f 100: +0 f.c:7 +0\n"                    \
    "instruction of 0 0000 mode 0 xen f 100: +2 :0 h+16\n"                     \
    "source of 0 0000 mode 0 xen f 100: f.c:7 'return;'\n"                     \
    "closed 9\n"                                                               \
    "end torn 0\n"

static void say_domain(struct session_kit *kit)
{
    const uint8_t uuid[16] = {7};

    KIT_OK(kit,
           xenoprof_writer_domain(kit->writer, 1, 5, uuid, "web", "passive"));
}

static void say_code(struct session_kit *kit)
{
    struct xenoprof_code code = {
        in_xen, bytes, sizeof(bytes), XENOPROF_CODE_CHECKED, "xen-syms", 2};
    struct xenoprof_instruction at = {
        .function = in_xen, .line = 7, .path = "f.c", .name = ""};
    const struct xenoprof_source_line source = {in_xen, 7, "f.c", "return;"};

    say_domain(kit);
    KIT_OK(kit, xenoprof_writer_code(kit->writer, &code));
    code = (struct xenoprof_code){
        in_kernel, bytes, sizeof(bytes), XENOPROF_CODE_MEMORY, "", 0};
    KIT_OK(kit, xenoprof_writer_code(kit->writer, &code));
    KIT_OK(kit, xenoprof_writer_instruction(kit->writer, &at));
    at = (struct xenoprof_instruction){
        .function = in_xen, .offset = 2, .path = "", .name = "h", .plus = 16};
    KIT_OK(kit, xenoprof_writer_instruction(kit->writer, &at));
    KIT_OK(kit, xenoprof_writer_source(kit->writer, &source));
}

TEST(code_comes_back)
{
    struct session_kit *kit = kit_create();

    say_code(kit);
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 9));
    kit_text_is(kit, SAID);
    kit_destroy(kit);
}

/* What a block does not say, as its rows are lost, is not known. */
TEST(code_of_a_domain_that_is_lost)
{
    struct session_kit *kit = kit_create();
    char *text;
    uint8_t *all;
    size_t size;

    say_domain(kit);
    KIT_OK(kit, xenoprof_writer_flush(kit->writer));
    say_code(kit);
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 9));
    all = kit_bytes(kit_file(kit, 0), &size);
    all[sizeof(struct session_file_header) +
        sizeof(struct session_block_header)] ^= 1;
    kit_put_bytes(kit_file(kit, 0), all, size);
    free(all);
    text = kit_read(kit, kit->folder);
    CHECK(strstr(text, "damaged\n"));
    /* An absolute block, which closes the session, says domains again, but not
     * the texts that the first one had. */
    CHECK(strstr(text, "90 00 c3"));
    CHECK(strstr(text, "closed 9\n"));
    free(text);
    kit_destroy(kit);
}

TEST(what_is_no_code_is_refused)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_code code = {in_xen, bytes, 0, XENOPROF_CODE_FILE, "", 0};
    struct xenoprof_instruction at = {
        .function = in_xen, .line = 1u << 31, .path = "f.c", .name = ""};
    struct xenoprof_source_line source = {in_xen, 0, "f.c", ""};

    CHECK_EQ(xenoprof_writer_code(kit->writer, &code), XENOPROF_INVALID);
    code.size = sizeof(bytes);
    code.from = XENOPROF_CODE_FROMS;
    CHECK_EQ(xenoprof_writer_code(kit->writer, &code), XENOPROF_INVALID);
    code.from = 0;
    code.length = 4;
    CHECK_EQ(xenoprof_writer_code(kit->writer, &code), XENOPROF_INVALID);
    code.length = 3;
    code.function.mode = XENOPROF_MODE_IDLE;
    CHECK_EQ(xenoprof_writer_code(kit->writer, &code), XENOPROF_INVALID);
    CHECK_EQ(xenoprof_writer_instruction(kit->writer, &at), XENOPROF_INVALID);
    CHECK_EQ(xenoprof_writer_source(kit->writer, &source), XENOPROF_INVALID);
    source.line = 1;
    source.path = "";
    CHECK_EQ(xenoprof_writer_source(kit->writer, &source), XENOPROF_INVALID);
    kit_destroy(kit);
}

TEST(what_is_too_long_is_left_out)
{
    struct session_kit *kit = kit_create();
    static uint8_t many[XENOPROF_CODE_MAX + 1];
    char text[XENOPROF_CODE_TEXT_MAX + 2] = "/";
    struct xenoprof_code code = {in_xen, many, sizeof(many), 0, "", 0};
    struct xenoprof_instruction at = {
        .function = in_xen, .path = "", .name = text};
    struct xenoprof_source_line source = {in_xen, 1, "f.c", text};

    memset(text, 'x', sizeof(text) - 1);
    KIT_OK(kit, xenoprof_writer_code(kit->writer, &code));
    KIT_OK(kit, xenoprof_writer_instruction(kit->writer, &at));
    KIT_OK(kit, xenoprof_writer_source(kit->writer, &source));
    KIT_OK(kit, xenoprof_writer_close(kit->writer, 9));
    kit_text_is(kit, "closed 9\nend torn 0\n");
    kit_destroy(kit);
}

/* A row of a made-up file. */
static void put_row(struct session_kit *kit, uint32_t table,
                    const uint64_t values[7])
{
    uint64_t *row = block_add_row(kit->writer, table, NULL);
    struct session_table columns;

    CHECK(row && session_table_find(table, &columns));
    memcpy(row, values, columns.count * sizeof(*row));
}

TEST(rows_of_anybody_s)
{
    struct session_kit *kit = kit_create();
    struct xenoprof_writer *writer = kit->writer;
    static char most[XENOPROF_CODE_MAX + 1];
    const uint32_t xen = writer_space(writer, 0, XENOPROF_MODE_XEN);
    const uint32_t idle = writer_space(writer, 0, XENOPROF_MODE_IDLE);
    const uint32_t name = writer_text(writer, "f");
    const uint32_t empty = writer_text(writer, "");
    const uint32_t symbol = define_symbol(&writer->tables, name, name, 0x100);
    const uint32_t unnamed = define_symbol(&writer->tables, 9999, 9999, 0x100);
    const uint32_t large = define_text(&writer->tables, most, sizeof(most));
    const uint64_t codes[][7] = {
        {0, symbol, name},
        {xen, 0, name},
        {99, symbol, name},
        {xen, 99, name},
        {idle, symbol, name},
        {xen, symbol, 0},
        {xen, symbol, 9999},
        {xen, symbol, empty},
        {xen, symbol, large},
        {xen, symbol, name, 0, 9},
        {xen, symbol, name, 0, 0, 2},
        {xen, symbol, name, large},
        {1ull << 40, 1ull << 50, 1ull << 60},
        {xen, unnamed, name},
    };
    const uint64_t instructions[][7] = {
        {xen, symbol, XENOPROF_CODE_MAX},   {xen, symbol, 1ull << 32},
        {xen, symbol, 0, name, 1ull << 31}, {xen, symbol, 0, large, 1},
        {xen, symbol, 0, 0, 0, large},      {0, symbol, 0, name, 1},
        {xen, symbol, 1, 0, 7, 9999, 1},
    };
    const uint64_t sources[][7] = {
        {xen, symbol, name, 0, name},    {xen, symbol, 0, 1, name},
        {xen, symbol, name, 1ull << 31}, {xen, symbol, name, 1, large},
        {99, symbol, name, 1, name},     {xen, symbol, name, 3, 9999},
    };

    for ( size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++ )
        put_row(kit, SESSION_TABLE_CODE, codes[i]);
    for ( size_t i = 0; i < sizeof(instructions) / sizeof(instructions[0]);
          i++ )
        put_row(kit, SESSION_TABLE_INSTRUCTION, instructions[i]);
    for ( size_t i = 0; i < sizeof(sources) / sizeof(sources[0]); i++ )
        put_row(kit, SESSION_TABLE_SOURCE, sources[i]);
    KIT_OK(kit, xenoprof_writer_close(writer, 9));
    /* The last of each is not known in part. */
    kit_text_is(kit, "code of 0 0000 mode 0   100: 66 (0) from 0 \n"
                     "instruction of 0 0000 mode 0 f f 100: +1 :0 +1\n"
                     "source of 0 0000 mode 0 f f 100: f:3 ''\n"
                     "closed 9\n"
                     "end torn 0\n");
    kit_destroy(kit);
}

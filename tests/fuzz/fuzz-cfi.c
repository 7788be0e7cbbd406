/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as .eh_frame or .debug_frame: a table comes of them that whoever
 * gets it accepts. */
#include "rows/cfi/cfi-rows.h"
#include "tests/unit/rows/cfi/cfi-kit.h"
#include "fuzz.h"

#define TEXT_SIZE 0x400u

static struct row_table *make(const uint8_t *data, size_t size, bool debug)
{
    static const struct row_segment segment = {0x1000, CFI_KIT_TEXT, TEXT_SIZE};
    const struct cfi_section section = {data, size, CFI_KIT_FRAME, debug};
    struct row_builder builder;
    struct row_table *table;

    FUZZ_CHECK(row_builder_init(&builder, &segment, 1));
    cfi_rows(&section, &builder);
    table = row_builder_make(&builder);
    row_builder_free(&builder);
    FUZZ_CHECK(table);
    return table;
}

static void send(const struct row_table *table)
{
    struct buffer bytes = {NULL, 0, 0};
    struct row_table *got;

    FUZZ_CHECK(row_table_put(table, &bytes));
    got = row_table_get(bytes.bytes, bytes.used);
    FUZZ_CHECK(got);
    for ( uint64_t at = CFI_KIT_TEXT - 1; at <= CFI_KIT_TEXT + TEXT_SIZE; at++ )
    {
        const struct row_rule *rule = row_table_find(got, at);

        FUZZ_CHECK(row_rule_sound(rule));
        FUZZ_CHECK(!memcmp(rule, row_table_find(table, at), sizeof(*rule)));
    }
    row_table_close(got);
    buffer_free(&bytes);
}

/* A byte that says which section it is, and the section. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct row_table *table;

    if ( !size )
        return 0;
    table = make(data + 1, size - 1, data[0] & 1);
    send(table);
    row_table_close(table);
    return 0;
}

/* Functions with frame pointers, realigned stacks, linkage tables and signal
 * frames; one function over another. */
static void put_functions(struct cfi_kit *kit)
{
    static const uint8_t plain[] = {0x41, 0x0e, 16,   0x86, 2,    0x43, 0x0d,
                                    6,    0x0a, 0x02, 0x30, 0x0c, 7,    8,
                                    0x41, 0x0b, 0xc6, 0x2e, 8};
    static const uint8_t realigned[] = {0x44, 0x0c, 10, 0,    0x41, 0x0f, 3,
                                        0x76, 0x78, 6,  0x10, 6,    2,    0x76,
                                        0,    0x10, 3,  2,    0x76, 0x70};
    static const uint8_t plt[] = {0x0f, 11,   0x77, 8,    0x80, 0,   0x3f,
                                  0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22};
    static const uint8_t odd[] = {0x05, 3, 2, 0x11, 6, 0x7d, 0x12, 7,    0x7c,
                                  0x13, 3, 7, 16,   9, 3,    8,    0x14, 6,
                                  2,    4, 4, 0,    0, 0,    0x16, 6,    1,
                                  0x30, 6, 6, 8,    3, 0x2f, 6,    1};

    cfi_kit_cie(kit, "", NULL, 0);
    cfi_kit_fde(kit, 0, 0x80, plain, sizeof(plain));
    cfi_kit_fde(kit, 0x40, 0x80, realigned, sizeof(realigned));
    cfi_kit_fde(kit, 0x100, 0x20, plt, sizeof(plt));
    cfi_kit_fde(kit, 0x200, 0x20, odd, sizeof(odd));
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static const uint8_t signal[] = {
        0x0f, 4, 0x77, 0xa0, 1,    6, 0x10, 6,  3, 0x77, 0xf8, 0,
        0x10, 3, 3,    0x77, 0x80, 1, 0x10, 16, 3, 0x77, 0xa8, 1};
    static struct cfi_kit kit;

    if ( number > 2 )
        return 0;
    kit.used = 0;
    kit.debug = number == 1;
    if ( number < 2 )
        put_functions(&kit);
    else
    {
        cfi_kit_cie(&kit, "S", NULL, 0);
        cfi_kit_fde(&kit, 0, 0x10, signal, sizeof(signal));
    }
    bytes[0] = kit.debug;
    memcpy(bytes + 1, kit.bytes, kit.used);
    return 1 + kit.used;
}

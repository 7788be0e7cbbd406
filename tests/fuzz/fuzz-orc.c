/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Any bytes as an ORC table: each row's address finds a row, and no address
 * finds anything else. */
#include <string.h>

#include "guest/linux/orc.h"
#include "fuzz.h"

#define TABLE 0xffffffff82c00000ull
#define ENTRY (4 + 6) /* bytes of an offset and a row */

static void look(const struct orc_table *table, uint64_t address)
{
    struct unwind_row row;

    if ( !orc_find(table, address, &row) )
        return;
    FUZZ_CHECK(row.kind <= ROW_INTERRUPT);
    FUZZ_CHECK(row.cfa_base < ROW_BASES && row.bp_base < ROW_BASES);
    FUZZ_CHECK((row.kind < ROW_CALL) == (row.cfa_base == ROW_BASE_NONE));
    FUZZ_CHECK(row.cfa_base != ROW_BASE_CFA);
    FUZZ_CHECK(row.kind == ROW_CALL || row.bp_base == ROW_BASE_NONE);
}

static void look_around(const struct orc_table *table, const int32_t *ips,
                        size_t count)
{
    struct unwind_row row;

    for ( size_t i = 0; i < count; i++ )
    {
        uint64_t address = TABLE + 4 * i + ips[i];

        FUZZ_CHECK(orc_find(table, address, &row));
        look(table, address - 1);
        look(table, address);
        look(table, address + 1);
    }
    for ( unsigned int shift = 0; shift < 64; shift++ )
        look(table, TABLE + (1ull << shift));
}

/* A byte for the layout that the kernel claims, then count offsets and count
 * rows. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t count = size / ENTRY;
    struct orc_table *table;
    int32_t *ips;
    uint8_t *rows;

    if ( size < 1 + ENTRY )
        return 0;
    count = (size - 1) / ENTRY;
    ips = malloc(count * sizeof(*ips));
    rows = malloc(count * 6);
    memcpy(ips, data + 1, count * 4);
    memcpy(rows, data + 1 + count * 4, count * 6);
    table = orc_open(ips, rows, count, TABLE, data[0] % ORC_LAYOUTS);
    if ( table )
    {
        FUZZ_CHECK(orc_count(table) == count);
        FUZZ_CHECK(orc_layout(table) != ORC_LAYOUT_UNKNOWN);
        look_around(table, ips, count);
    }
    orc_close(table);
    free(rows);
    free(ips);
    return 0;
}

/* Plain functions in each layout; in one seed the offsets fall. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    static const uint16_t flags[] = {0x15, 0x15, 0x215, 0x283, 0x215};
    const unsigned int count = 40;

    if ( number >= sizeof(flags) / sizeof(flags[0]) )
        return 0;
    *bytes++ = number % ORC_LAYOUTS;
    for ( unsigned int i = 0; i < count; i++ )
    {
        int32_t ip = (number == 4 ? -24 : 24) * (int)i - 0x1000000;
        uint8_t *row = bytes + 4 * count + 6 * i;

        memcpy(bytes + 4 * i, &ip, 4);
        memset(row, 0, 6);
        row[0] = 8 * (i % 7 + 1);
        row[4] = flags[number];
        row[5] = flags[number] >> 8;
    }
    return 1 + ENTRY * count;
}

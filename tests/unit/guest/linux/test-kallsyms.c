/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Look-ups by address and by name in a table that is made by hand. */
#include <string.h>

#include "guest/linux/kallsyms.h"
#include "tests/harness.h"

#define COUNT 600u

static uint32_t offsets[COUNT];
static uint32_t markers[COUNT / KALLSYMS_BLOCK + 1];
static uint8_t names[COUNT * 4];
static struct kallsyms table;

/* Symbols "tNNN", packed as three bytes: "t", and tokens that stand for their
 * own numbers; 20 per-CPU ones before them; always two at one address. */
static void begin(void)
{
    uint32_t used = 0;

    table = (struct kallsyms){.base = 0xffffffff81000000,
                              .count = COUNT,
                              .first = 20,
                              .offsets = offsets,
                              .names = names,
                              .names_size = sizeof(names),
                              .markers = markers};
    for ( uint32_t i = 0; i < 256; i++ )
    {
        char *token = table.tokens.table + used;

        table.tokens.index[i] = (uint16_t)used;
        if ( i < 100 )
        {
            token[0] = (char)('0' + i / 10);
            token[1] = (char)('0' + i % 10);
        }
        else
            token[0] = (char)(i < 128 ? i : '?');
        used += (uint32_t)strlen(token) + 1;
    }
    table.tokens.size = used;
    for ( uint32_t i = 0; i < COUNT; i++ )
    {
        const uint8_t name[4] = {3, 't', (uint8_t)(i / 100),
                                 (uint8_t)(i % 100)};

        memcpy(names + 4 * i, name, sizeof(name));
        offsets[i] = i < 20 ? 0 : i / 2 * 16;
        if ( i % KALLSYMS_BLOCK == 0 )
            markers[i / KALLSYMS_BLOCK] = 4 * i;
    }
}

TEST(each_symbol_has_its_name)
{
    char name[KALLSYMS_NAME_MAX];

    begin();
    CHECK(kallsyms_name(&table, 0, name));
    CHECK_TEXT(name, "t0000");
    CHECK(kallsyms_name(&table, 255, name));
    CHECK_TEXT(name, "t0255");
    CHECK(kallsyms_name(&table, 256, name));
    CHECK_TEXT(name, "t0256");
    CHECK(kallsyms_name(&table, COUNT - 1, name));
    CHECK_TEXT(name, "t0599");
    CHECK(!kallsyms_name(&table, COUNT, name));
    CHECK(!kallsyms_name(&table, UINT32_MAX, name));
}

TEST(names_that_run_out_are_none)
{
    char name[KALLSYMS_NAME_MAX];

    begin();
    table.names_size--;
    CHECK(!kallsyms_name(&table, COUNT - 1, name));
    CHECK(kallsyms_name(&table, COUNT - 2, name));
    table.names_size = 4 * 512 - 1;
    CHECK(!kallsyms_name(&table, COUNT - 2, name));
    CHECK(kallsyms_name(&table, 510, name));
}

TEST(of_several_at_one_address_the_first_counts)
{
    uint32_t index;

    begin();
    CHECK(!kallsyms_at(&table, 159, &index));
    CHECK(kallsyms_at(&table, 160, &index));
    CHECK_EQ(index, 20);
    CHECK_EQ(kallsyms_next(&table, 20), 176);
    CHECK_EQ(kallsyms_next(&table, 21), 176);
    CHECK(kallsyms_at(&table, 191, &index));
    CHECK_EQ(index, 22);
    CHECK(kallsyms_at(&table, UINT32_MAX, &index));
    CHECK_EQ(index, COUNT - 2);
    CHECK_EQ(kallsyms_next(&table, index), 0);
}

TEST(wanted_names_are_looked_up)
{
    struct kallsyms_wanted wanted[] = {
        {.name = "0100"}, {.name = "0019"}, {.name = "01"},
        {.name = "0599"}, {.name = "x100"}, {.name = "0019", .per_cpu = true},
    };

    begin();
    memcpy(names + 4 * 300, names + 4 * 100, 4); /* the first of them counts */
    CHECK(kallsyms_look_up(&table, wanted, 6));
    CHECK(wanted[0].found && wanted[0].offset == 100 / 2 * 16);
    CHECK(!wanted[1].found); /* a per-CPU one is not an address */
    CHECK(!wanted[2].found && !wanted[4].found);
    CHECK(wanted[3].found && wanted[3].offset == 599 / 2 * 16);
    CHECK(!wanted[3].absolute);
    CHECK(wanted[5].found && wanted[5].absolute);
    CHECK_EQ(wanted[5].offset, (uint32_t)~table.offsets[19]);
}

TEST(a_table_with_what_cannot_be_a_name_is_refused)
{
    struct kallsyms_wanted wanted = {.name = "0100"};

    begin();
    names[4 * 400] = 0;
    CHECK(!kallsyms_look_up(&table, &wanted, 1));
    begin();
    table.names_size--;
    CHECK(!kallsyms_look_up(&table, &wanted, 1));
    begin();
    table.tokens.index[50] = (uint16_t)(table.tokens.size - 1);
    names[4 * 400 + 1] = names[4 * 400 + 2] = names[4 * 400 + 3] = 50;
    CHECK(!kallsyms_look_up(&table, &wanted, 1)); /* a name of no letters */
    kallsyms_close(NULL);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Entries of each layout, one by one. */
#include <string.h>

#include "guest/linux/orc-layout.h"
#include "tests/harness.h"

static bool decode(enum orc_layout layout, unsigned int flags,
                   struct unwind_row *ret)
{
    const uint8_t entry[ORC_ENTRY_SIZE] = {
        40, 0, 0xf0, 0xff, (uint8_t)flags, (uint8_t)(flags >> 8)};

    memset(ret, 0xa5, sizeof(*ret));
    return orc_decode(layout, entry, ret);
}

static const struct {
    enum orc_layout layout;
    unsigned int flags;
    struct unwind_row row;
} known[] = {
    {ORC_LAYOUT_4_14, 0x0000, {.kind = ROW_UNDEFINED}},
    {ORC_LAYOUT_4_14, 0x0400, {.kind = ROW_END}},
    {ORC_LAYOUT_4_14, 0x0005, {ROW_CALL, ROW_BASE_SP, .cfa_offset = 40}},
    {ORC_LAYOUT_4_14,
     0x0015,
     {ROW_CALL, ROW_BASE_SP, .cfa_offset = 40, .bp_base = ROW_BASE_CFA}},
    {ORC_LAYOUT_4_14,
     0x0014,
     {ROW_CALL, ROW_BASE_BP, .cfa_offset = 40, .bp_base = ROW_BASE_CFA}},
    {ORC_LAYOUT_4_14,
     0x0048,
     {ROW_CALL, ROW_BASE_BP, ROW_AT_SUM, 40, .bp_base = ROW_BASE_BP}},
    {ORC_LAYOUT_4_14,
     0x0019,
     {ROW_CALL, ROW_BASE_SP, ROW_AT_BASE, 40, .bp_base = ROW_BASE_CFA}},
    {ORC_LAYOUT_4_14, 0x0006, {ROW_CALL, ROW_BASE_R10, .cfa_offset = 40}},
    {ORC_LAYOUT_4_14, 0x0007, {ROW_CALL, ROW_BASE_R13, .cfa_offset = 40}},
    {ORC_LAYOUT_4_14, 0x0003, {ROW_CALL, ROW_BASE_DI, .cfa_offset = 40}},
    {ORC_LAYOUT_4_14,
     0x0105,
     {ROW_REGISTERS, ROW_BASE_SP, .cfa_offset = 40, .signal = true}},
    {ORC_LAYOUT_4_14,
     0x0109,
     {ROW_REGISTERS, ROW_BASE_SP, ROW_AT_SUM, 40, .signal = true}},
    {ORC_LAYOUT_4_14,
     0x0202,
     {ROW_INTERRUPT, ROW_BASE_DX, .cfa_offset = 40, .signal = true}},
    {ORC_LAYOUT_6_3, 0x0800, {.kind = ROW_END}},
    {ORC_LAYOUT_6_3, 0x0105, {ROW_REGISTERS, ROW_BASE_SP, .cfa_offset = 40}},
    {ORC_LAYOUT_6_3,
     0x0605,
     {ROW_INTERRUPT, ROW_BASE_SP, .cfa_offset = 40, .signal = true}},
    {ORC_LAYOUT_6_4, 0x0000, {.kind = ROW_UNDEFINED}},
    {ORC_LAYOUT_6_4, 0x0100, {.kind = ROW_END}},
    {ORC_LAYOUT_6_4,
     0x0214,
     {ROW_CALL, ROW_BASE_BP, .cfa_offset = 40, .bp_base = ROW_BASE_CFA}},
    {ORC_LAYOUT_6_4,
     0x0b05,
     {ROW_REGISTERS, ROW_BASE_SP, .cfa_offset = 40, .signal = true}},
    {ORC_LAYOUT_6_4, 0x0405, {ROW_INTERRUPT, ROW_BASE_SP, .cfa_offset = 40}},
    {ORC_LAYOUT_7_1,
     0x0283,
     {ROW_CALL, ROW_BASE_SP, .cfa_offset = 40, .bp_base = ROW_BASE_CFA}},
    {ORC_LAYOUT_7_1, 0x0201, {ROW_CALL, ROW_BASE_AX, .cfa_offset = 40}},
    {ORC_LAYOUT_7_1,
     0x024a,
     {ROW_CALL, ROW_BASE_BP, ROW_AT_SUM, 40, .bp_base = ROW_BASE_BP}},
    {ORC_LAYOUT_7_1,
     0x0289,
     {ROW_CALL, ROW_BASE_SP, ROW_AT_BASE, 40, .bp_base = ROW_BASE_CFA}},
    {ORC_LAYOUT_7_1,
     0x0b03,
     {ROW_REGISTERS, ROW_BASE_SP, .cfa_offset = 40, .signal = true}},
};

TEST(entries_mean_what_their_layout_says)
{
    for ( size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++ )
    {
        const struct unwind_row *wanted = &known[i].row;
        struct unwind_row got;

        CHECK(decode(known[i].layout, known[i].flags, &got));
        if ( got.kind != wanted->kind || got.cfa_base != wanted->cfa_base ||
             got.cfa_way != wanted->cfa_way ||
             got.cfa_offset != wanted->cfa_offset ||
             got.bp_base != wanted->bp_base || got.signal != wanted->signal )
            test_fail(__FILE__, __LINE__, "flags 0x%x of layout %d are wrong",
                      known[i].flags, known[i].layout);
        if ( wanted->bp_base )
            CHECK_EQ(got.bp_offset, -16);
    }
}

/* Flags that no kernel of that layout has. */
static const struct {
    enum orc_layout layout;
    unsigned int flags;
} bad[] = {
    {ORC_LAYOUT_4_14, 0x0001}, {ORC_LAYOUT_4_14, 0x000a},
    {ORC_LAYOUT_4_14, 0x0025}, {ORC_LAYOUT_4_14, 0x0305},
    {ORC_LAYOUT_4_14, 0x0405}, {ORC_LAYOUT_4_14, 0x0805},
    {ORC_LAYOUT_4_14, 0x0115}, {ORC_LAYOUT_4_14, 0x0100},
    {ORC_LAYOUT_6_3, 0x0c05},  {ORC_LAYOUT_6_3, 0x0400},
    {ORC_LAYOUT_6_3, 0x1005},  {ORC_LAYOUT_6_4, 0x0505},
    {ORC_LAYOUT_6_4, 0x0005},  {ORC_LAYOUT_6_4, 0x0105},
    {ORC_LAYOUT_6_4, 0x0200},  {ORC_LAYOUT_6_4, 0x0900},
    {ORC_LAYOUT_6_4, 0x0285},  {ORC_LAYOUT_6_4, 0x8205},
    {ORC_LAYOUT_7_1, 0x0208},  {ORC_LAYOUT_7_1, 0x020b},
    {ORC_LAYOUT_7_1, 0x0213},  {ORC_LAYOUT_7_1, 0x02a3},
};

TEST(entries_that_no_kernel_has_are_undefined)
{
    for ( size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++ )
    {
        struct unwind_row got;

        if ( decode(bad[i].layout, bad[i].flags, &got) )
            test_fail(__FILE__, __LINE__, "flags 0x%x of layout %d are taken",
                      bad[i].flags, bad[i].layout);
        CHECK_EQ(got.kind, ROW_UNDEFINED);
        CHECK(!got.cfa_base && !got.bp_base && !got.cfa_offset);
    }
}

/* All flags that there can be: what is called a frame has a base. */
TEST(any_flags_can_be_decoded)
{
    for ( int layout = ORC_LAYOUT_4_14; layout < ORC_LAYOUTS; layout++ )
        for ( unsigned int flags = 0; flags < 0x10000; flags++ )
        {
            struct unwind_row got;
            bool good = decode(layout, flags, &got);

            CHECK(got.kind <= ROW_INTERRUPT);
            CHECK(good || got.kind == ROW_UNDEFINED);
            CHECK((got.kind >= ROW_CALL) == (got.cfa_base != ROW_BASE_NONE));
            CHECK(got.cfa_base != ROW_BASE_CFA);
        }
}

TEST(versions_and_headers_name_a_layout)
{
    static const uint8_t of_6_4[20] = {0xfe, 0x5d, 0x32, 0xbf, 0x58, 0x1b, 0xd6,
                                       0x3b, 0x2c, 0xa9, 0xa5, 0xc6, 0x5b, 0xa5,
                                       0xa6, 0x25, 0xea, 0xb3, 0xfe, 0x24};
    static const uint8_t of_nobody[20] = {1, 2, 3};

    CHECK_EQ(orc_layout_of(4, 13, NULL), ORC_LAYOUT_UNKNOWN);
    CHECK_EQ(orc_layout_of(4, 14, NULL), ORC_LAYOUT_4_14);
    CHECK_EQ(orc_layout_of(5, 0, NULL), ORC_LAYOUT_4_14);
    CHECK_EQ(orc_layout_of(6, 2, NULL), ORC_LAYOUT_4_14);
    CHECK_EQ(orc_layout_of(6, 3, NULL), ORC_LAYOUT_6_3);
    CHECK_EQ(orc_layout_of(6, 4, NULL), ORC_LAYOUT_6_4);
    CHECK_EQ(orc_layout_of(7, 0, NULL), ORC_LAYOUT_6_4);
    CHECK_EQ(orc_layout_of(7, 1, NULL), ORC_LAYOUT_7_1);
    CHECK_EQ(orc_layout_of(9, 0, NULL), ORC_LAYOUT_7_1);
    CHECK_EQ(orc_layout_of(5, 14, of_6_4), ORC_LAYOUT_6_4);
    CHECK_EQ(orc_layout_of(5, 14, of_nobody), ORC_LAYOUT_UNKNOWN);
}

TEST(layouts_have_names)
{
    CHECK_TEXT(orc_layout_name(ORC_LAYOUT_UNKNOWN), "");
    CHECK_TEXT(orc_layout_name(ORC_LAYOUT_4_14), "4.14");
    CHECK_TEXT(orc_layout_name(ORC_LAYOUT_7_1), "7.1");
}

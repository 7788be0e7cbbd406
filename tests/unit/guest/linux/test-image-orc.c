/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ORC rows between marks, marks that lie, and rows that no mark shows. */
#include <string.h>

#include "guest/linux/image-orc.h"
#include "guest/linux/image-read.h"
#include "kernel-kit.h"
#include "tests/harness.h"

static const uint8_t key[16];
static struct fake_kernel fake;
static struct linux_image *image;
static struct kallsyms_wanted wanted[MARKS];

/* Nothing says where the rows are; they are recognised by their contents. */
TEST(symbols_of_code_only)
{
    for ( int order = 0; order < 2; order++ )
    {
        struct unwind_row row;

        fake_kernel_open(&fake, &(struct fake_form){.code_only = true,
                                                    .new_order = order,
                                                    .functions = 50000,
                                                    .modules = 2});
        CHECK_EQ(image_read(
                     &(struct kernel_search){.memory = &fake.memory,
                                             .address = fake_function(&fake, 1),
                                             .key = key},
                     &image),
                 KERNEL_OK);
        CHECK(image->orc);
        CHECK_EQ(orc_count(image->orc), 25000);
        CHECK(
            orc_find(image->orc, fake_function(&fake, 9) - image->base, &row));
        CHECK_EQ(row.cfa_offset, 8 + 8 * 4);
        CHECK(!image->kmods_at && !image->shared.build_id_length);
        CHECK(!image->release[0]);
        linux_image_free(image);
        fake_kernel_close(&fake);
    }
}

static void begin(void)
{
    fake_kernel_open(&fake, &(struct fake_form){.functions = 3000});
    image = linux_image_create();
    CHECK(image);
    image->base = fake.kernel.address;
    linux_image_want_marks(wanted);
    for ( int i = 0; i < MARKS; i++ )
    {
        if ( i == MARK_ORC_HEADER || !fake_find(&fake, wanted[i].name) )
            continue;
        wanted[i].found = true;
        wanted[i].offset = fake_address(&fake, wanted[i].name) - image->base;
    }
    linux_image_take_code(image, wanted);
    fake.memory.left = 1 << 20;
}

static void end(void)
{
    linux_image_free(image);
    fake_kernel_close(&fake);
}

static enum kernel_status read_orc(void)
{
    struct fingerprint fingerprint;

    fingerprint_start(&fingerprint, key);
    return image_read_orc(image, &fake.memory, wanted, &fingerprint);
}

TEST(rows_lie_between_marks)
{
    struct unwind_row row;

    begin();
    CHECK_EQ(read_orc(), KERNEL_OK);
    CHECK(image->orc);
    CHECK_EQ(orc_count(image->orc), 1500);
    for ( uint32_t i = 0; i < 2998; i += 2 )
    {
        CHECK(
            orc_find(image->orc, fake_function(&fake, i) - image->base, &row));
        CHECK_EQ(row.cfa_offset, 8 + 8 * (i / 2 % 5));
    }
    end();
}

TEST(marks_that_contradict_each_other_show_no_rows)
{
    static const struct {
        enum image_mark mark;
        int64_t add;
    } lies[] = {
        {MARK_ORC_IP, 4},          {MARK_ORC_IP_END, -4},
        {MARK_ORC_IP_END, 1},      {MARK_ORC_IP_END, -(1 << 20)},
        {MARK_ORC_END, -6},        {MARK_ORC_END, -(1 << 20)},
        {MARK_ORC_IP, 4 * 1500},   {MARK_ORC_IP, 1ll << 40},
        {MARK_ORC_END, 1ll << 40},
    };

    for ( unsigned int i = 0; i < sizeof(lies) / sizeof(lies[0]); i++ )
    {
        begin();
        wanted[lies[i].mark].offset += (uint64_t)lies[i].add;
        CHECK_EQ(read_orc(), KERNEL_OK);
        if ( image->orc )
            test_fail(__FILE__, __LINE__, "lie %u is believed", i);
        end();
    }
}

/* A table of a length that no kernel has is not even read. */
TEST(rows_have_a_limit)
{
    begin();
    wanted[MARK_ORC_IP_END].offset = wanted[MARK_ORC_IP].offset + (16ul << 20);
    wanted[MARK_ORC_END].offset = wanted[MARK_ORC].offset + (24ul << 20);
    CHECK_EQ(read_orc(), KERNEL_OK);
    CHECK(!image->orc && fake.memory.left == 1 << 20);
    end();
}

TEST(rows_that_cannot_be_read)
{
    begin();
    fake.memory.left = 4000;
    CHECK_EQ(read_orc(), KERNEL_BUDGET);
    fake.memory.left = 1 << 20;
    fake.hole = (image->base + wanted[MARK_ORC].offset) & ~4095ull;
    CHECK_EQ(read_orc(), KERNEL_OK);
    CHECK(!image->orc);
    end();
}

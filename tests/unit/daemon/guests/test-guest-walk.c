/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Page tables of guests, good and bad. */
#include <string.h>

#include "tests/harness.h"
#include "guest-kit.h"

#define KERNEL 0xffffffff81000000ul

static struct guest_kit kit;
static struct guest_walk walk;

static bool open_walk(uint64_t cr3, uint64_t address)
{
    return guest_walk_open(&walk, &kit.xen, 5, cr3, address);
}

/* Each byte of a frame is the frame's number. */
static int frame_at(uint64_t address)
{
    uint8_t byte;

    return guest_walk_read(&walk, address, &byte, 1) == 1 ? byte : -1;
}

static void begin(void)
{
    guest_kit_begin(&kit);
    for ( unsigned int i = 0; i < KIT_FRAMES; i++ )
        if ( i > 8 )
            memset(kit.frames[i], (int)i, GUEST_PAGE);
}

TEST(walk_four_levels)
{
    uint64_t cr3, frame;

    begin();
    cr3 = guest_kit_map(&kit, KERNEL, 9);
    guest_kit_map(&kit, KERNEL + GUEST_PAGE, 20);
    CHECK(open_walk(cr3 | 0x18 | 1ul << 63, KERNEL + 5));
    CHECK_EQ(walk.shape, WALK_64);
    CHECK_EQ(frame_at(KERNEL), 9);
    CHECK_EQ(frame_at(KERNEL + GUEST_PAGE), 20);
    CHECK_EQ(frame_at(KERNEL + 2 * GUEST_PAGE), -1);
    CHECK(guest_walk_find(&walk, KERNEL + 0x1234, &frame));
    CHECK_EQ(frame, 20);
}

TEST(walk_reads_up_to_what_is_missing)
{
    static uint8_t bytes[8 * GUEST_PAGE];
    uint64_t cr3;

    begin();
    cr3 = guest_kit_map(&kit, KERNEL, 9);
    for ( unsigned int i = 1; i < 4; i++ )
        guest_kit_map(&kit, KERNEL + i * GUEST_PAGE, 9 + i);
    CHECK(open_walk(cr3, KERNEL));
    CHECK_EQ(guest_walk_read(&walk, KERNEL + 100, bytes, sizeof(bytes)),
             4 * GUEST_PAGE - 100);
    CHECK_EQ(bytes[0], 9);
    CHECK_EQ(bytes[GUEST_PAGE - 100], 10);
    CHECK_EQ(bytes[4 * GUEST_PAGE - 101], 12);
    CHECK_EQ(guest_walk_read(&walk, KERNEL + 100, bytes, 10), 10);
    /* Mapped, but Xen does not give it. */
    kit.missing[10] = true;
    CHECK_EQ(guest_walk_read(&walk, KERNEL + 100, bytes, sizeof(bytes)),
             GUEST_PAGE - 100);
    kit.missing[9] = true;
    CHECK_EQ(guest_walk_read(&walk, KERNEL + 100, bytes, sizeof(bytes)), 0);
}

/* More pages than are mapped at a time. */
TEST(walk_reads_much)
{
    static uint8_t bytes[40 * GUEST_PAGE];
    uint64_t cr3 = 0;

    begin();
    for ( unsigned int i = 0; i < 40; i++ )
        cr3 = guest_kit_map(&kit, KERNEL + i * GUEST_PAGE, 10 + i);
    CHECK(open_walk(cr3, KERNEL));
    CHECK_EQ(guest_walk_read(&walk, KERNEL, bytes, sizeof(bytes)),
             sizeof(bytes));
    for ( unsigned int i = 0; i < 40; i++ )
        CHECK_EQ(bytes[i * GUEST_PAGE], 10 + i);
}

TEST(walk_large_pages)
{
    begin();
    guest_kit_map(&kit, KERNEL, 9);
    /* 2 MiB from frame 0; bit 12 of the entry is not part of the address. */
    guest_kit_set(&kit, 3, KERNEL >> 21 & 511, 0x1000 | 0x81);
    CHECK(open_walk(GUEST_PAGE, KERNEL + 33 * GUEST_PAGE));
    CHECK_EQ(frame_at(KERNEL + 33 * GUEST_PAGE), 33);
    /* 1 GiB. */
    guest_kit_set(&kit, 2, KERNEL >> 30 & 511, 0x81);
    guest_walk_forget(&walk);
    CHECK_EQ(frame_at((KERNEL & ~0x3ffffffful) + 34 * GUEST_PAGE), 34);
}

TEST(walk_five_levels)
{
    begin();
    guest_kit_map(&kit, KERNEL, 9);
    guest_kit_set(&kit, 5, 511, 1 * GUEST_PAGE | 1);
    CHECK(open_walk(5 * GUEST_PAGE, KERNEL));
    CHECK_EQ(walk.shape, WALK_LA57);
    CHECK_EQ(frame_at(KERNEL), 9);
}

TEST(walk_32_bits)
{
    const uint32_t entry = 6 * GUEST_PAGE | 1, page = 40 * GUEST_PAGE | 1;

    begin();
    /* PAE: four entries, which need not begin a page. */
    guest_kit_set(&kit, 5, 4 + 3, 6 * GUEST_PAGE | 1);
    guest_kit_set(&kit, 6, 0, 7 * GUEST_PAGE | 1);
    guest_kit_set(&kit, 7, 1, 33 * GUEST_PAGE | 1);
    CHECK(open_walk(5 * GUEST_PAGE + 32, 0xc0001000));
    CHECK_EQ(walk.shape, WALK_PAE);
    CHECK_EQ(frame_at(0xc0001000), 33);
    CHECK_EQ(frame_at(0x1c0001000), -1);

    begin();
    memcpy(kit.frames[5] + 4 * 768, &entry, 4);
    memcpy(kit.frames[6] + 4 * 2, &page, 4);
    CHECK(open_walk(5 * GUEST_PAGE, 0xc0002000));
    CHECK_EQ(walk.shape, WALK_32);
    CHECK_EQ(frame_at(0xc0002000), 40);
}

/* Tables often make a nonsensical sense in another format than their own. */
TEST(walk_32_bits_that_could_be_64)
{
    begin();
    guest_kit_set(&kit, 5, 3, 6 * GUEST_PAGE | 1);
    guest_kit_set(&kit, 6, 0, 7 * GUEST_PAGE | 1);
    guest_kit_set(&kit, 7, 1, 33 * GUEST_PAGE | 1);
    /* Of a process, down to its memory. */
    guest_kit_set(&kit, 5, 0, 8 * GUEST_PAGE | 1);
    guest_kit_set(&kit, 8, 3, 20 * GUEST_PAGE | 0x27);
    guest_kit_set(&kit, 20, 0, 21 * GUEST_PAGE | 0x27);
    guest_kit_set(&kit, 21, 1, 22 * GUEST_PAGE | 0x27);
    CHECK(open_walk(5 * GUEST_PAGE, 0xc0001000));
    CHECK_EQ(walk.shape, WALK_PAE);
    CHECK_EQ(frame_at(0xc0001000), 33);
}

TEST(walk_64_bits_that_could_be_32)
{
    begin();
    guest_kit_set(&kit, 5, 0, 6 * GUEST_PAGE | 0x23);
    guest_kit_set(&kit, 6, 0, 7 * GUEST_PAGE | 0x23);
    guest_kit_set(&kit, 7, 1, 8 * GUEST_PAGE | 0x23);
    guest_kit_set(&kit, 8, 1, 33 * GUEST_PAGE | 0x23);
    guest_kit_set(&kit, 6, 1, 20 * GUEST_PAGE | 0x23);
    guest_kit_set(&kit, 20, 1, 34 * GUEST_PAGE | 0x23);
    CHECK(open_walk(5 * GUEST_PAGE, 0x201000));
    CHECK_EQ(walk.shape, WALK_64);
    CHECK_EQ(frame_at(0x201000), 33);
}

TEST(walk_without_paging)
{
    begin();
    CHECK(open_walk(0, 33 * GUEST_PAGE));
    CHECK_EQ(walk.shape, WALK_NONE);
    CHECK_EQ(frame_at(33 * GUEST_PAGE + 8), 33);
    CHECK_EQ(frame_at(1ul << 32), -1);
}

TEST(walk_what_cannot_be)
{
    begin();
    CHECK(!open_walk(0, KERNEL));
    CHECK(!open_walk(~0ul, KERNEL));
    CHECK(!open_walk(GUEST_PAGE, 0x8000000000000000ul));
    guest_kit_map(&kit, KERNEL, 9);
    CHECK(open_walk(GUEST_PAGE, KERNEL));
    /* What the guest has put elsewhere: the entry is the guest's own word. */
    guest_kit_set(&kit, 4, KERNEL >> 12 & 511, 9 * GUEST_PAGE | 0x62);
    guest_walk_forget(&walk);
    CHECK_EQ(frame_at(KERNEL), -1);
    guest_kit_set(&kit, 4, KERNEL >> 12 & 511, 9 * GUEST_PAGE | 1);
    guest_walk_forget(&walk);
    CHECK_EQ(frame_at(KERNEL), 9);
    /* A table that leads to itself: the walk still ends. */
    guest_kit_set(&kit, 1, 511, GUEST_PAGE | 1);
    guest_walk_forget(&walk);
    CHECK_EQ(frame_at(0xfffffffffffff000), 0);
    /* Tables where there is no memory. */
    guest_kit_set(&kit, 1, 511, 0x000ffffffffff000ul | 1);
    guest_walk_forget(&walk);
    CHECK_EQ(frame_at(KERNEL), -1);
    /* The end of all addresses. */
    CHECK_EQ(frame_at(0xffffffffffffffff), -1);
}

static void change(struct guest_kit *changing)
{
    guest_kit_set(changing, 4, KERNEL >> 12 & 511,
                  (10 + changing->reads % 20) * GUEST_PAGE | 1);
}

/* Any answer will do, as long as there is one. */
TEST(walk_while_it_changes)
{
    begin();
    guest_kit_map(&kit, KERNEL, 9);
    kit.before_read = change;
    for ( int i = 0; i < 100; i++ )
    {
        int frame;

        CHECK(open_walk(GUEST_PAGE, KERNEL));
        frame = frame_at(KERNEL);
        CHECK(frame >= 9 && frame < 30);
    }
}

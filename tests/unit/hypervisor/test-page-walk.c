/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Page tables of every format, in a small physical memory of the test's.
 */
#include <string.h>

#include "tests/harness.h"
#include "hypervisor/page-walk.h"

#define PAGE    4096u
#define FRAMES  64u
#define PRESENT 0x1ul
#define USER    0x4ul
#define LARGE   0x80ul

static uint8_t memory[FRAMES][PAGE];
static unsigned int reads;
static uint64_t next_frame;
static struct page_walk walk;

static uint64_t read_memory(void *self, uint64_t address, unsigned int bytes)
{
    uint64_t value = 0;

    CHECK(self == memory);
    CHECK_EQ(address % bytes, 0);
    reads++;
    if ( address / PAGE < FRAMES )
        memcpy(&value, &memory[address / PAGE][address % PAGE], bytes);
    return value;
}

/* The root is at frame 1. */
static void begin(enum page_format format)
{
    memset(memory, 0, sizeof(memory));
    reads = 0;
    next_frame = 2;
    walk = (struct page_walk){
        .format = format,
        .root = PAGE,
    };
}

/* By the tables of a guest, or by Xen's for it. */
static bool page_walk(uint64_t address, uint64_t *ret)
{
    return walk.format < PAGE_FORMAT_NPT
               ? page_walk_guest(&walk, address, read_memory, memory, ret)
               : page_walk_p2m(&walk, address, read_memory, memory, ret);
}

static const struct shape {
    unsigned int levels, bits, bytes;
} shapes[PAGE_FORMATS] = {
    [PAGE_FORMAT_32] = {2, 10, 4},  [PAGE_FORMAT_PAE] = {3, 9, 8},
    [PAGE_FORMAT_LONG] = {4, 9, 8}, [PAGE_FORMAT_LA57] = {5, 9, 8},
    [PAGE_FORMAT_NPT] = {4, 9, 8},  [PAGE_FORMAT_EPT] = {4, 9, 8},
};

/* The entry for address at this level, with tables above it. */
static void *entry(uint64_t address, unsigned int level)
{
    const struct shape *shape = &shapes[walk.format];
    uint64_t table = walk.root;

    for ( unsigned int at = shape->levels;; at-- )
    {
        uint64_t index = address >> (12 + shape->bits * (at - 1)) &
                         ((1ul << shape->bits) - 1);
        uint8_t *place =
            &memory[table / PAGE][table % PAGE + index * shape->bytes];
        uint64_t value = 0;

        if ( at == level )
            return place;
        memcpy(&value, place, shape->bytes);
        if ( !value )
        {
            value = next_frame++ * PAGE | PRESENT;
            memcpy(place, &value, shape->bytes);
        }
        table = value & ~0xffful;
    }
}

static void put(uint64_t address, unsigned int level, uint64_t value)
{
    memcpy(entry(address, level), &value, shapes[walk.format].bytes);
}

static uint64_t get(uint64_t address, unsigned int level)
{
    uint64_t value = 0;

    memcpy(&value, entry(address, level), shapes[walk.format].bytes);
    return value;
}

/* That many, if there are as many. */
static unsigned int lower_levels(unsigned int count)
{
    unsigned int levels = shapes[walk.format].levels;

    return levels < count ? levels : count;
}

static void leads(uint64_t address, uint64_t to)
{
    uint64_t got = 0;

    page_walk_forget(&walk);
    CHECK(page_walk(address, &got));
    CHECK_EQ(got, to);
}

static void leads_nowhere(uint64_t address)
{
    uint64_t got;

    reads = 0;
    page_walk_forget(&walk);
    CHECK(!page_walk(address, &got));
    CHECK(reads <= shapes[walk.format].levels);
}

static uint64_t some_address(enum page_format format)
{
    switch ( format )
    {
    case PAGE_FORMAT_LONG: return 0xffffc90012345678;
    case PAGE_FORMAT_LA57: return 0xff11223344556678;
    case PAGE_FORMAT_NPT:
    case PAGE_FORMAT_EPT: return 0xfedc12345678;
    default: return 0xc1234567;
    }
}

TEST(small_page_in_each_format)
{
    for ( unsigned int format = 0; format < PAGE_FORMATS; format++ )
    {
        uint64_t at = some_address(format);

        begin(format);
        leads_nowhere(at);
        put(at, 1, 0x77000 | PRESENT);
        leads(at, 0x77000 | (at & 0xfff));
        CHECK_EQ(reads, 1 + shapes[format].levels);
        leads_nowhere(at ^ 0x1000);
    }
}

TEST(absence_at_each_level)
{
    for ( unsigned int format = 0; format < PAGE_FORMATS; format++ )
        for ( unsigned int level = 1; level <= shapes[format].levels; level++ )
        {
            uint64_t at = some_address(format);

            begin(format);
            put(at, 1, 0x77000 | PRESENT);
            put(at, level, get(at, level) & ~PRESENT);
            leads_nowhere(at);
        }
}

/* Bit 7 means something else in the lowest entries, and nothing in the
 * highest. */
TEST(large_pages)
{
    static const struct {
        enum page_format format;
        unsigned int level;
        bool may;
    } cases[] = {
        {PAGE_FORMAT_32, 2, true},    {PAGE_FORMAT_PAE, 2, true},
        {PAGE_FORMAT_PAE, 3, false},  {PAGE_FORMAT_LONG, 2, true},
        {PAGE_FORMAT_LONG, 3, true},  {PAGE_FORMAT_LONG, 4, false},
        {PAGE_FORMAT_LA57, 3, true},  {PAGE_FORMAT_LA57, 4, false},
        {PAGE_FORMAT_LA57, 5, false}, {PAGE_FORMAT_NPT, 2, true},
        {PAGE_FORMAT_NPT, 3, true},   {PAGE_FORMAT_NPT, 4, false},
        {PAGE_FORMAT_EPT, 2, true},   {PAGE_FORMAT_EPT, 3, true},
        {PAGE_FORMAT_EPT, 4, false},
    };

    for ( unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++ )
    {
        unsigned int format = cases[i].format;
        uint64_t at = some_address(format);
        unsigned int shift = 12 + shapes[format].bits * (cases[i].level - 1);
        uint64_t low = at & ((1ul << shift) - 1);
        uint64_t frame = format == PAGE_FORMAT_32 ? 0x40000000 : 0x4000000000;

        begin(format);
        put(at, cases[i].level, frame | LARGE | PRESENT);
        if ( !cases[i].may )
        {
            leads_nowhere(at);
            continue;
        }
        leads(at, frame | low);
        /* PAT; then an address that is not a multiple of the size. */
        put(at, cases[i].level, frame | 0x1000 | LARGE | PRESENT);
        leads(at, frame | low);
        put(at, cases[i].level, frame | 1ul << (shift - 1) | LARGE | PRESENT);
        leads_nowhere(at);
    }
}

TEST(bit_of_a_large_page_in_a_small_one)
{
    for ( unsigned int format = 0; format < PAGE_FORMATS; format++ )
    {
        uint64_t at = some_address(format);

        begin(format);
        put(at, 1, 0x77000 | LARGE | PRESENT);
        leads(at, 0x77000 | (at & 0xfff));
    }
}

/* 4 MiB pages of two levels reach above 4 GiB, if they are switched on. */
TEST(large_pages_of_two_levels)
{
    uint64_t at = 0xc1234567;

    begin(PAGE_FORMAT_32);
    put(at, 2, 0x40000000 | 0xabul << 13 | LARGE | PRESENT);
    leads(at, 0xab40000000 | (at & 0x3fffff));
    put(at, 2, 0x40000000 | 1ul << 21 | LARGE | PRESENT);
    leads_nowhere(at);
    walk.no_large = true;
    put(at, 2, 5 * PAGE | LARGE | PRESENT);
    ((uint32_t *)memory[5])[at >> 12 & 0x3ff] = 0x77000 | PRESENT;
    leads(at, 0x77567);
}

TEST(addresses_that_are_none)
{
    static const struct {
        enum page_format format;
        uint64_t first, last; /* of a gap */
    } gaps[] = {
        {PAGE_FORMAT_32, 0x100000000, ~0ul},
        {PAGE_FORMAT_PAE, 0x100000000, ~0ul},
        {PAGE_FORMAT_LONG, 0x800000000000, 0xffff7fffffffffff},
        {PAGE_FORMAT_LA57, 0x100000000000000, 0xfeffffffffffffff},
        {PAGE_FORMAT_NPT, 0x1000000000000, ~0ul},
        {PAGE_FORMAT_EPT, 0x1000000000000, ~0ul},
    };

    for ( unsigned int i = 0; i < PAGE_FORMATS; i++ )
    {
        begin(gaps[i].format);
        leads_nowhere(gaps[i].first);
        CHECK_EQ(reads, 0);
        leads_nowhere(gaps[i].last);
        CHECK_EQ(reads, 0);
        leads_nowhere(gaps[i].first - 1);
        CHECK_EQ(reads, 1);
        leads_nowhere(gaps[i].last + 1);
        CHECK_EQ(reads, 1);
    }
}

TEST(rights_of_user_mode)
{
    for ( unsigned int format = 0; format <= PAGE_FORMAT_LA57; format++ )
        for ( unsigned int level = 1; level <= shapes[format].levels; level++ )
        {
            uint64_t at = some_address(format);

            begin(format);
            put(at, 1, 0x77000 | PRESENT);
            for ( unsigned int i = 1; i <= shapes[format].levels; i++ )
                put(at, i, get(at, i) | USER);
            walk.user = true;
            leads(at, 0x77000 | (at & 0xfff));
            put(at, level, get(at, level) & ~USER);
            /* The top level of PAE has no such bit. */
            if ( format == PAGE_FORMAT_PAE && level == 3 )
                leads(at, 0x77000 | (at & 0xfff));
            else
                leads_nowhere(at);
            walk.user = false;
            leads(at, 0x77000 | (at & 0xfff));
        }
}

TEST(reserved_bits_of_pae)
{
    uint64_t at = some_address(PAGE_FORMAT_PAE);

    for ( unsigned int level = 1; level <= 3; level++ )
        for ( unsigned int bit = 52; bit < 64; bit++ )
        {
            begin(PAGE_FORMAT_PAE);
            put(at, 1, 0x77000 | PRESENT);
            put(at, level, get(at, level) | 1ul << bit);
            if ( bit == 63 ) /* no execution */
                leads(at, 0x77000 | (at & 0xfff));
            else
                leads_nowhere(at);
        }
}

TEST(top_of_pae_lies_anywhere_in_a_page)
{
    uint64_t at = some_address(PAGE_FORMAT_PAE);

    begin(PAGE_FORMAT_PAE);
    walk.root = PAGE + 0xfe0;
    put(at, 1, 0x77000 | PRESENT);
    leads(at, 0x77000 | (at & 0xfff));
}

/* ram_rw 0, ram_logdirty 2, ram_ro 3; the others are not the guest's own. */
TEST(sorts_of_pages)
{
    for ( unsigned int sort = 0; sort < 128; sort++ )
    {
        uint64_t bits = (uint64_t)sort << 52;
        bool plain = sort == 0 || sort == 2 || sort == 3;

        for ( unsigned int level = 1; level <= 3; level++ )
        {
            uint64_t large = level > 1 ? LARGE : 0;

            begin(PAGE_FORMAT_NPT);
            put(0, level, bits | large | PRESENT);
            CHECK_EQ(page_walk(0, &(uint64_t){0}), plain);
            begin(PAGE_FORMAT_EPT);
            put(0, level, bits | large | PRESENT);
            plain = (sort & 63) == 0 || (sort & 63) == 2 || (sort & 63) == 3;
            CHECK_EQ(page_walk(0, &(uint64_t){0}), plain);
            plain = sort == 0 || sort == 2 || sort == 3;
        }
    }
}

/* Not present, whatever else: populated on demand, paged out. */
TEST(sorts_of_pages_that_are_absent)
{
    for ( unsigned int sort = 0; sort < 16; sort++ )
    {
        begin(PAGE_FORMAT_NPT);
        put(0, 1, (uint64_t)sort << 52 | 0x77000);
        leads_nowhere(0);
        put(0, 2, (uint64_t)sort << 52 | LARGE);
        leads_nowhere(0);
        begin(PAGE_FORMAT_EPT);
        put(0, 1, (uint64_t)sort << 52 | 0x77000 | 0x6); /* not for reading */
        leads_nowhere(0);
    }
}

/* Each level leads to the table itself. */
TEST(tables_that_lead_to_themselves)
{
    for ( unsigned int format = 0; format < PAGE_FORMATS; format++ )
    {
        uint64_t got;

        begin(format);
        for ( unsigned int i = 0; i < PAGE / shapes[format].bytes; i++ )
        {
            uint64_t value = walk.root | PRESENT;

            memcpy(&memory[1][i * shapes[format].bytes], &value,
                   shapes[format].bytes);
        }
        CHECK(page_walk(some_address(format), &got));
        CHECK_EQ(got & ~0xffful, walk.root);
        CHECK_EQ(reads, shapes[format].levels);
    }
}

TEST(tables_outside_memory)
{
    for ( unsigned int format = 0; format < PAGE_FORMATS; format++ )
        for ( unsigned int level = 2; level <= shapes[format].levels; level++ )
        {
            uint64_t at = some_address(format);
            uint64_t far = shapes[format].bytes == 4 ? 0xfffff000
                                                     : 0xffffffffff000;

            begin(format);
            put(at, level, far | PRESENT);
            leads_nowhere(at);
            walk.root = far;
            leads_nowhere(at);
        }
}

/* The next page is found in the table that the last one was in. */
TEST(pages_beside_each_other)
{
    for ( unsigned int format = 0; format < PAGE_FORMATS; format++ )
    {
        uint64_t at = some_address(format) & ~0xffful, got;

        begin(format);
        put(at, 1, 0x77000 | PRESENT);
        put(at ^ 0x1000, 1, 0x88000 | PRESENT);
        put(at ^ 0x40000000, 1, 0x99000 | PRESENT);
        leads(at, 0x77000);
        reads = 0;
        CHECK(page_walk(at ^ 0x1000, &got));
        CHECK_EQ(got, 0x88000);
        CHECK_EQ(reads, 1);
        CHECK(!page_walk(at ^ 0x2000, &got));
        CHECK_EQ(reads, 2);
        CHECK(page_walk(at ^ 0x40000000, &got));
        CHECK_EQ(got, 0x99000);
        CHECK_EQ(reads, 2 + lower_levels(3));
        CHECK(!page_walk(at ^ 0x20000000, &got));
    }
}

/* A large page is found in the table that the last one was in, too. */
TEST(large_pages_beside_each_other)
{
    for ( unsigned int format = 0; format < PAGE_FORMATS; format++ )
    {
        uint64_t at = some_address(format) & ~0x1ffffffful, got;
        uint64_t next = at + 0x400000;

        begin(format);
        put(at, 2, 0x40000000 | LARGE | PRESENT);
        put(next, 2, 0x80000000 | LARGE | PRESENT);
        leads(at, 0x40000000);
        reads = 0;
        CHECK(page_walk(next, &got));
        CHECK_EQ(got, 0x80000000);
        CHECK_EQ(reads, lower_levels(2) - 1);
    }
}

/* What was found for one address is not used for another. */
TEST(tables_of_other_addresses)
{
    for ( unsigned int format = 0; format < PAGE_FORMATS; format++ )
        for ( unsigned int level = 1; level < shapes[format].levels; level++ )
        {
            uint64_t at = some_address(format) & ~0xffful, got;
            uint64_t bit = 1ul << (12 + shapes[format].bits * level);

            begin(format);
            put(at, 1, 0x77000 | PRESENT);
            leads(at, 0x77000);
            reads = 0;
            CHECK(!page_walk(at ^ bit, &got));
            CHECK_EQ(reads, 1);
            put(at ^ bit, 1, 0x88000 | PRESENT);
            CHECK(page_walk(at ^ bit, &got));
            CHECK_EQ(got, 0x88000);
            CHECK(page_walk(at, &got));
            CHECK_EQ(got, 0x77000);
        }
}

/* Page 0 of the first address differs from "nothing found yet". */
TEST(first_page_of_all)
{
    for ( unsigned int format = 0; format < PAGE_FORMATS; format++ )
    {
        begin(format);
        put(0, 1, 0x77000 | PRESENT);
        leads(0, 0x77000);
        CHECK_EQ(reads, shapes[format].levels);
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of numbers in memory: where they begin and end, and other numbers. */
#include <stdlib.h>
#include <string.h>

#include "guest/linux/offset-run.h"
#include "tests/harness.h"

#define START  0xffffffff82000000ull
#define BEFORE 3000u /* words of something else */
#define COUNT  50000u

static uint32_t *words;
static uint32_t size; /* words */
static uint64_t hole; /* this page is not there; 0: none */
static uint32_t reads;

static size_t read_words(void *self, uint64_t address, void *to, size_t wanted)
{
    uint64_t offset = address - START, left;

    (void)self;
    reads++;
    if ( offset >= 4ull * size || (hole && address - hole < 4096) )
        return 0;
    left = 4ull * size - offset;
    if ( hole > address && hole - address < left )
        left = hole - address;
    if ( wanted > left )
        wanted = left;
    memcpy(to, (const uint8_t *)words + offset, wanted);
    return wanted;
}

static struct guest_memory memory = {.read = read_words};

static uint32_t encode(enum offset_encoding encoding, uint32_t i)
{
    switch ( encoding )
    {
    case OFFSET_FROM_BASE: return 16 * i;
    case OFFSET_FROM_SELF: return 16 * i - 4 * i - (1u << 24);
    default: return i < 40 ? 64 * i : ~(16 * (i - 40));
    }
}

static void begin(enum offset_encoding encoding, uint32_t count)
{
    size = BEFORE + count + BEFORE;
    words = malloc(4ul * size);
    CHECK(words);
    for ( uint32_t i = 0; i < size; i++ )
        words[i] = i % 2 ? 0x7fff1234 : 0x83456789;
    for ( uint32_t i = 0; i < count; i++ )
        words[BEFORE + i] = encode(encoding, i);
    memory.left = 64 << 20;
    hole = 0;
}

static enum kernel_status measure(enum offset_encoding encoding, uint32_t index,
                                  struct offset_run *run)
{
    return offset_run_measure(&memory, START + 4ull * (BEFORE + index),
                              encoding, run);
}

TEST(a_run_is_measured_from_wherever_it_is_met)
{
    static const uint32_t met[] = {0, 1, 4095, 20001, COUNT - 16};
    struct offset_run run;

    for ( int encoding = 0; encoding < OFFSET_ENCODINGS; encoding++ )
    {
        begin(encoding, COUNT);
        for ( unsigned int i = 0; i < sizeof(met) / sizeof(met[0]); i++ )
        {
            CHECK(offsets_may_be(encoding, words + BEFORE + met[i]));
            CHECK_EQ(measure(encoding, met[i], &run), KERNEL_OK);
            /* What lies before may seem to belong to it. */
            CHECK(run.start <= START + 4 * BEFORE);
            CHECK(run.start > START + 4 * BEFORE - 8);
            CHECK(run.end >= START + 4 * (BEFORE + COUNT));
            CHECK(run.end < START + 4 * (BEFORE + COUNT) + 8);
        }
        free(words);
    }
}

/* Each read is a message to another process, and its answer. */
TEST(a_run_takes_few_reads)
{
    struct offset_run run;

    begin(OFFSET_FROM_BASE, COUNT);
    reads = 0;
    CHECK_EQ(measure(OFFSET_FROM_BASE, COUNT - 16, &run), KERNEL_OK);
    CHECK(reads <= 8);
    reads = 0;
    CHECK_EQ(measure(OFFSET_FROM_BASE, 0, &run), KERNEL_OK);
    CHECK(reads <= 12);
    free(words);
}

TEST(numbers_that_fall_end_it)
{
    struct offset_run run;

    begin(OFFSET_FROM_BASE, COUNT);
    for ( uint32_t i = 30000; i < COUNT; i++ )
        words[BEFORE + i] = encode(OFFSET_FROM_BASE, i - 30000);
    CHECK_EQ(measure(OFFSET_FROM_BASE, 5000, &run), KERNEL_OK);
    CHECK(run.end == START + 4 * (BEFORE + 30000));
    CHECK_EQ(measure(OFFSET_FROM_BASE, 40000, &run), KERNEL_OK);
    CHECK(run.start == START + 4 * (BEFORE + 30000));
    free(words);
}

TEST(a_page_that_is_not_there_ends_it)
{
    struct offset_run run;

    begin(OFFSET_FROM_BASE, COUNT);
    hole = START + 4096 * 20;
    CHECK_EQ(measure(OFFSET_FROM_BASE, 40000, &run), KERNEL_OK);
    CHECK(run.start == hole + 4096);
    free(words);
}

TEST(a_run_has_some_length_but_not_any)
{
    struct offset_run run;

    begin(OFFSET_FROM_BASE, OFFSETS_MIN - 8);
    CHECK_EQ(measure(OFFSET_FROM_BASE, 0, &run), KERNEL_UNKNOWN);
    free(words);
    begin(OFFSET_FROM_BASE, OFFSETS_MIN);
    CHECK_EQ(measure(OFFSET_FROM_BASE, 0, &run), KERNEL_OK);
    free(words);
    begin(OFFSET_FROM_BASE, OFFSETS_MAX + 8);
    CHECK_EQ(measure(OFFSET_FROM_BASE, 0, &run), KERNEL_UNKNOWN);
    free(words);
}

/* As much as it takes to see that it is too long, and no more. */
TEST(a_run_without_end_costs_the_budget)
{
    struct offset_run run;

    begin(OFFSET_FROM_BASE, 4 * OFFSETS_MAX);
    CHECK_EQ(measure(OFFSET_FROM_BASE, OFFSETS_MAX, &run), KERNEL_UNKNOWN);
    CHECK(memory.left > (64 << 20) - (12 << 20));
    memory.left = 1000;
    CHECK_EQ(measure(OFFSET_FROM_BASE, OFFSETS_MAX, &run), KERNEL_BUDGET);
    free(words);
}

/* Equal numbers are symbols at one address, but not most of them. */
TEST(filler_is_no_run)
{
    static const uint32_t fillers[] = {0, 0xcccccccc, 0xffffffff, 0x90909090};
    struct offset_run run;

    begin(OFFSET_FROM_BASE, COUNT);
    for ( unsigned int i = 0; i < sizeof(fillers) / sizeof(fillers[0]); i++ )
    {
        for ( uint32_t at = 0; at < size; at++ )
            words[at] = fillers[i];
        for ( int encoding = 0; encoding < OFFSET_ENCODINGS; encoding++ )
            CHECK(!offsets_may_be(encoding, words));
        CHECK_EQ(measure(OFFSET_FROM_SELF, 20000, &run), KERNEL_UNKNOWN);
    }
    free(words);
}

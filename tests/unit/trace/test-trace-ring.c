/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A pCPU's trace buffer, written as Xen does. */
#include <string.h>

#include "tests/harness.h"
#include "trace/trace-ring.h"

#define WORDS 32u /* of records */

static struct {
    uint32_t reader, xen;
    uint32_t data[WORDS];
} buffer;
static struct trace_ring ring;
static struct trace_event event;

static void begin(uint32_t mark)
{
    memset(&buffer, 0, sizeof(buffer));
    buffer.xen = mark;
    CHECK(trace_ring_open(&ring, 3, &buffer, sizeof(buffer)));
}

static void write_word(uint32_t word)
{
    buffer.data[buffer.xen / 4 % WORDS] = word;
    buffer.xen = (buffer.xen + 4) % (2 * 4 * WORDS);
}

/* A change of state, with its time: four words. */
static void write_change(uint64_t tsc, uint32_t word)
{
    write_word(0x80000000u | 1u << 28 | TRACE_RUNSTATE);
    write_word((uint32_t)tsc);
    write_word((uint32_t)(tsc >> 32));
    write_word(word);
}

TEST(records_come_in_order)
{
    begin(0);
    write_change(0x123456789aull, 0x50001);
    write_word(2u << 28 | 0x1234);
    write_word(7);
    write_word(8);
    CHECK_EQ(trace_ring_next(&ring, &event), TRACE_TAKEN);
    CHECK_EQ(event.number, TRACE_RUNSTATE);
    CHECK_EQ(event.pcpu, 3);
    CHECK_EQ(event.tsc, 0x123456789aull);
    CHECK_EQ(event.words, 1);
    CHECK_EQ(event.word[0], 0x50001);
    CHECK_EQ(trace_ring_next(&ring, &event), TRACE_TAKEN);
    CHECK_EQ(event.number, 0x1234);
    CHECK_EQ(event.tsc, 0);
    CHECK_EQ(event.words, 2);
    CHECK_EQ(event.word[1], 8);
    CHECK_EQ(trace_ring_next(&ring, &event), TRACE_EMPTY);
}

/* Xen gets room when it is told, and not before. */
TEST(what_was_taken_is_released)
{
    begin(0);
    write_change(1, 2);
    CHECK_EQ(trace_ring_next(&ring, &event), TRACE_TAKEN);
    CHECK_EQ(buffer.reader, 0);
    trace_ring_release(&ring);
    CHECK_EQ(buffer.reader, 16);
}

/* Marks go round at twice the size, and a whole buffer may be full. */
TEST(marks_go_round)
{
    begin(4 * 24);
    for ( unsigned int i = 0; i < 100; i++ )
    {
        unsigned int fill = i % 8 + 1;

        for ( unsigned int j = 0; j < fill; j++ )
            write_change(100 * i + j + 1, i);
        for ( unsigned int j = 0; j < fill; j++ )
        {
            CHECK_EQ(trace_ring_next(&ring, &event), TRACE_TAKEN);
            CHECK_EQ(event.tsc, 100 * i + j + 1);
        }
        CHECK_EQ(trace_ring_next(&ring, &event), TRACE_EMPTY);
        trace_ring_release(&ring);
        CHECK_EQ(buffer.reader, buffer.xen);
    }
}

/* Xen fills the end with a record that says nothing, if the next does not fit
 * there. */
TEST(what_fills_the_end_is_left_out)
{
    begin(4 * (WORDS - 3));
    write_word(2u << 28 | TRACE_WRAP);
    write_word(0);
    write_word(0);
    write_change(9, 1);
    CHECK_EQ(trace_ring_next(&ring, &event), TRACE_TAKEN);
    CHECK_EQ(event.tsc, 9);
}

/* What is there before is somebody else's. */
TEST(old_records_are_left_out)
{
    memset(&buffer, 0, sizeof(buffer));
    write_change(1, 1);
    CHECK(trace_ring_open(&ring, 0, &buffer, sizeof(buffer)));
    CHECK_EQ(buffer.reader, 16);
    CHECK_EQ(trace_ring_next(&ring, &event), TRACE_EMPTY);
}

TEST(another_reader_is_seen)
{
    begin(0);
    write_change(1, 1);
    CHECK(!trace_ring_is_shared(&ring));
    CHECK_EQ(trace_ring_next(&ring, &event), TRACE_TAKEN);
    CHECK(!trace_ring_is_shared(&ring));
    buffer.reader = 16;
    CHECK(trace_ring_is_shared(&ring));
    trace_ring_release(&ring);
    CHECK(!trace_ring_is_shared(&ring));
}

/* A record that ends behind what was written, or behind the buffer. */
TEST(nonsense_is_left_out)
{
    begin(0);
    write_word(7u << 28 | 1);
    CHECK_EQ(trace_ring_next(&ring, &event), TRACE_BROKEN);
    CHECK_EQ(trace_ring_next(&ring, &event), TRACE_EMPTY);
    begin(4 * (WORDS - 2));
    write_change(1, 1);
    CHECK_EQ(trace_ring_next(&ring, &event), TRACE_BROKEN);
    write_change(2, 1);
    CHECK_EQ(trace_ring_next(&ring, &event), TRACE_TAKEN);
    CHECK_EQ(event.tsc, 2);
}

TEST(marks_that_cannot_be_are_left_out)
{
    begin(0);
    buffer.xen = 8 * WORDS;
    CHECK_EQ(trace_ring_next(&ring, &event), TRACE_BROKEN);
    buffer.xen = 4 * WORDS + 16;
    CHECK_EQ(trace_ring_next(&ring, &event), TRACE_BROKEN);
    buffer.xen = 2;
    CHECK_EQ(trace_ring_next(&ring, &event), TRACE_BROKEN);
    CHECK(!trace_ring_open(&ring, 0, &buffer, sizeof(buffer)));
    CHECK(!trace_ring_open(&ring, 0, &buffer, 8));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core-kit.h"
#include "hypervisor/queue.h"

static struct queue queue;

static void open_queue(uint32_t depth, uint32_t frames)
{
    process_reset(1);
    CHECK(queue_open(&queue, 0, depth, frames));
}

static bool push(uint64_t value)
{
    struct queue_entry *entry = queue_slot(&queue);

    if ( !entry )
        return false;
    entry->ticks = value;
    queue_push(&queue);
    return true;
}

TEST(queue_depth_holds_50_ms)
{
    CHECK_EQ(queue_depth_for(1), 32);
    CHECK_EQ(queue_depth_for(97), 32);
    CHECK_EQ(queue_depth_for(620), 32);
    CHECK_EQ(queue_depth_for(640), 64);
    CHECK_EQ(queue_depth_for(1000), 64);
    CHECK_EQ(queue_depth_for(5000), 256);
    for ( uint32_t frequency = 1; frequency <= 5000; frequency++ )
    {
        CHECK(queue_depth_for(frequency) * 1000 >= frequency * 50);
        CHECK(queue_depth_for(frequency) <= QUEUE_DEPTH_MAX);
    }
}

TEST(queue_keeps_order_and_refuses_when_full)
{
    open_queue(8, 0);
    CHECK(!queue_oldest(&queue));
    for ( uint64_t i = 0; i < 8; i++ )
        CHECK(push(i));
    CHECK(!push(8));
    CHECK_EQ(queue_length(&queue), 8);
    for ( uint64_t i = 0; i < 8; i++ )
    {
        CHECK_EQ(queue_oldest(&queue)->ticks, i);
        queue_pop(&queue);
    }
    CHECK(!queue_oldest(&queue));
    queue_close(&queue);
    CHECK_EQ(process_host()->allocated, 0);
}

TEST(queue_shows_what_was_pushed_last)
{
    open_queue(4, 0);
    CHECK(!queue_newest(&queue));
    for ( uint64_t i = 0; i < 9; i++ )
    {
        CHECK(push(2 * i) && push(2 * i + 1));
        CHECK_EQ(queue_newest(&queue)->ticks, 2 * i + 1);
        queue_pop(&queue);
        CHECK_EQ(queue_newest(&queue)->ticks, 2 * i + 1);
        queue_pop(&queue);
        CHECK(!queue_newest(&queue));
    }
    queue_close(&queue);
}

TEST(queue_depth_is_rounded_up)
{
    open_queue(5, 0);
    CHECK_EQ(queue.depth, 8);
    queue_close(&queue);
    open_queue(1, 0);
    CHECK_EQ(queue.depth, 1);
    CHECK(push(1));
    CHECK(!push(2));
    queue_close(&queue);
}

TEST(queue_wraps_its_indices)
{
    open_queue(4, 0);
    queue.head = queue.tail = 0xfffffffdu;
    for ( uint64_t i = 0; i < 100; i++ )
    {
        CHECK(push(2 * i));
        CHECK(push(2 * i + 1));
        CHECK_EQ(queue_length(&queue), 2);
        CHECK_EQ(queue_oldest(&queue)->ticks, 2 * i);
        queue_pop(&queue);
        CHECK_EQ(queue_oldest(&queue)->ticks, 2 * i + 1);
        queue_pop(&queue);
    }
    queue_close(&queue);
}

TEST(queue_entries_have_room_for_frames)
{
    open_queue(8, 3);
    for ( uint64_t i = 0; i < 8; i++ )
    {
        struct queue_entry *entry = queue_slot(&queue);

        CHECK(entry);
        for ( int frame = 0; frame < 3; frame++ )
            entry->frame[frame] = 10 * i + frame;
        queue_push(&queue);
    }
    for ( uint64_t i = 0; i < 8; i++ )
    {
        for ( int frame = 0; frame < 3; frame++ )
            CHECK_EQ(queue_oldest(&queue)->frame[frame], 10 * i + frame);
        queue_pop(&queue);
    }
    queue_close(&queue);
}

/* An NMI may come between any two steps of the reader. */
TEST(queue_writer_comes_between_any_steps)
{
    uint64_t wrote = 0, read = 0;

    open_queue(4, 0);
    for ( int round = 0; round < 1000; round++ )
    {
        const struct queue_entry *entry;

        wrote += push(wrote);
        entry = queue_oldest(&queue);
        wrote += push(wrote);
        CHECK_EQ(entry->ticks, read);
        wrote += push(wrote);
        CHECK_EQ(entry->ticks, read++);
        queue_pop(&queue);
    }
    CHECK_EQ(queue_length(&queue), wrote - read);
    queue_close(&queue);
}

TEST(queue_without_memory)
{
    process_reset(1);
    process_host()->memory_left = 0;
    CHECK(!queue_open(&queue, 0, 8, 0));
    queue_close(&queue);
}

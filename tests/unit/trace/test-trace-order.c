/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of several pCPUs, by time. */
#include "tests/harness.h"
#include "trace/trace-order.h"

static struct trace_order order;

static void add(uint16_t pcpu, uint64_t tsc, uint32_t number)
{
    CHECK(trace_order_add(
        &order,
        &(struct trace_event){.number = number, .pcpu = pcpu, .tsc = tsc}));
}

static uint32_t number_at(size_t index)
{
    return order.items[index].event.number;
}

TEST(records_are_in_order_of_time)
{
    add(0, 100, 1);
    add(0, 300, 3);
    add(1, 200, 2);
    add(1, 300, 4);
    add(1, 300, 5);
    CHECK_EQ(trace_order_ready(&order, 0), 5);
    for ( uint32_t i = 0; i < 5; i++ )
        CHECK_EQ(number_at(i), i + 1);
    trace_order_free(&order);
}

/* One that comes late is still in its place. */
TEST(the_newest_wait)
{
    add(0, 1000, 1);
    add(0, 1090, 3);
    CHECK_EQ(trace_order_ready(&order, 50), 1);
    trace_order_drop(&order, 1);
    add(1, 1060, 2);
    CHECK_EQ(trace_order_ready(&order, 50), 0);
    CHECK_EQ(trace_order_ready(&order, 0), 2);
    CHECK_EQ(number_at(0), 2);
    CHECK_EQ(number_at(1), 3);
    trace_order_free(&order);
}

TEST(a_record_without_a_time_has_the_last_ones)
{
    add(0, 500, 1);
    add(0, 0, 2);
    add(1, 400, 0);
    CHECK_EQ(trace_order_ready(&order, 0), 3);
    for ( uint32_t i = 0; i < 3; i++ )
        CHECK_EQ(number_at(i), i);
    trace_order_free(&order);
}

TEST(an_empty_order_drops_nothing)
{
    CHECK_EQ(trace_order_ready(&order, 0), 0);
    trace_order_drop(&order, 0);
    CHECK_EQ(order.count, 0);
    trace_order_free(&order);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module/unwind/flow-nodes.h"
#include "module/unwind/insn.h"
#include "tests/harness.h"

static struct flow_nodes flow;

/* Instructions 0 to 9; 1, 4 and 7 are functions. */
static void begin(void)
{
    CHECK_EQ(flow_nodes_open(&flow, 10), 0);
    for ( uint32_t i = 1; i < 10; i++ )
        flow.list[i].owner = i - (i - 1) % 3;
}

TEST(instructions_are_visited_in_turn)
{
    begin();
    flow_enqueue(&flow, 3);
    flow_enqueue(&flow, 1);
    flow_enqueue(&flow, 3);
    CHECK_EQ(flow_dequeue(&flow), 3);
    flow_enqueue(&flow, 3);
    CHECK_EQ(flow_dequeue(&flow), 1);
    CHECK_EQ(flow_dequeue(&flow), 3);
    CHECK_EQ(flow.head, UNWIND_NOWHERE);
    flow_nodes_close(&flow);
}

TEST(calls_wait_for_a_function_that_returns)
{
    begin();
    flow_wait(&flow, 2, 4);
    flow_wait(&flow, 8, 4);
    flow_wait(&flow, 8, 4);
    CHECK(!flow_returns(&flow, 4));
    flow_comes_back(&flow, 6);
    CHECK(flow_returns(&flow, 4));
    CHECK(!flow_returns(&flow, 1));
    CHECK_EQ(flow_dequeue(&flow), 8);
    CHECK_EQ(flow_dequeue(&flow), 2);
    CHECK_EQ(flow.head, UNWIND_NOWHERE);
    flow_comes_back(&flow, 6);
    CHECK_EQ(flow.head, UNWIND_NOWHERE);
    flow_nodes_close(&flow);
}

/* Those that share code return together, whichever does and whenever. */
TEST(functions_that_share_code)
{
    for ( int late = 0; late < 2; late++ )
    {
        begin();
        flow_wait(&flow, 0, 1);
        flow_wait(&flow, 9, 7);
        flow_unite(&flow, 1, 4);
        if ( late )
            flow_comes_back(&flow, 5);
        flow_unite(&flow, 7, 4);
        flow_unite(&flow, 1, 7);
        if ( !late )
            flow_comes_back(&flow, 5);
        CHECK(flow_returns(&flow, 1));
        CHECK(flow_returns(&flow, 4));
        CHECK(flow_returns(&flow, 7));
        CHECK_EQ(flow_dequeue(&flow) + flow_dequeue(&flow), 9);
        CHECK_EQ(flow.head, UNWIND_NOWHERE);
        flow_nodes_close(&flow);
    }
}

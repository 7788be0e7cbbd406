/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks between question and sample. */
#include "daemon/guests/walked-stacks.h"
#include "tests/harness.h"

static void answer(struct walked_stacks *walked, uint64_t tag, uint32_t place)
{
    struct walked_stack *stack = walked_stacks_find(walked, tag);

    CHECK(stack && !stack->answered);
    CHECK(walked_stacks_answer(stack, &place, 1));
}

static uint32_t take(struct walked_stacks *walked, uint64_t tag)
{
    struct walked_stack *stack = walked_stacks_find(walked, tag);
    uint32_t place;

    CHECK(stack && stack->answered);
    CHECK_EQ(stack->count, 1);
    place = stack->places[0];
    walked_stacks_drop(walked, stack);
    return place;
}

/* Of two rings, whose samples come in another order than they were asked in. */
TEST(stacks_are_found_by_their_samples)
{
    struct walked_stacks walked;

    walked_stacks_init(&walked);
    for ( int turn = 0; turn < 3; turn++ )
    {
        for ( uint64_t tag = 1; tag <= 4; tag++ )
            CHECK(walked_stacks_add(&walked, tag));
        for ( uint64_t tag = 1; tag <= 4; tag++ )
            answer(&walked, tag, (uint32_t)(100 * turn + tag));
        CHECK_EQ(take(&walked, 3), 100 * turn + 3);
        CHECK(!walked_stacks_find(&walked, 3));
        CHECK_EQ(take(&walked, 1), 100 * turn + 1);
        CHECK_EQ(take(&walked, 4), 100 * turn + 4);
        CHECK_EQ(take(&walked, 2), 100 * turn + 2);
        CHECK_EQ(walked_stacks_open(&walked), 0);
    }
    /* Its room was used again. */
    CHECK_EQ(walked.count, 4);
    walked_stacks_free(&walked);
}

/* A walker that died: what it had answered stays. */
TEST(questions_without_an_answer_are_forgotten)
{
    struct walked_stacks walked;

    walked_stacks_init(&walked);
    for ( uint64_t tag = 1; tag <= 3; tag++ )
        CHECK(walked_stacks_add(&walked, tag));
    answer(&walked, 2, 7);
    walked_stacks_forget_asked(&walked);
    CHECK(!walked_stacks_find(&walked, 1));
    CHECK(!walked_stacks_find(&walked, 3));
    CHECK_EQ(take(&walked, 2), 7);
    CHECK_EQ(walked_stacks_open(&walked), 0);
    walked_stacks_free(&walked);
}

/* The answer that comes all the same is nobody's. */
TEST(stacks_that_nobody_waits_for_leave_their_room)
{
    struct walked_stacks walked;

    walked_stacks_init(&walked);
    for ( uint64_t tag = 1; tag <= 100000; tag++ )
    {
        CHECK(walked_stacks_add(&walked, tag));
        if ( tag > 10 )
            walked_stacks_drop(&walked, walked_stacks_find(&walked, tag - 10));
    }
    CHECK_EQ(walked_stacks_open(&walked), 10);
    CHECK_EQ(walked.count, 11);
    CHECK(!walked_stacks_find(&walked, 99990));
    CHECK(walked_stacks_find(&walked, 99991));
    walked_stacks_free(&walked);
}

TEST(stacks_at_a_time_have_an_end)
{
    struct walked_stacks walked;
    struct walked_stack *stack;

    walked_stacks_init(&walked);
    for ( uint64_t tag = 1; tag <= WALKED_STACKS_MAX; tag++ )
        CHECK(walked_stacks_add(&walked, tag << 16));
    CHECK(!walked_stacks_add(&walked, 1));
    stack = walked_stacks_find(&walked, 5 << 16);
    CHECK(stack);
    walked_stacks_drop(&walked, stack);
    CHECK(walked_stacks_add(&walked, 1));
    walked_stacks_free(&walked);
}

/* However many are open, a stack is found in a few steps. */
TEST(stacks_are_found_without_a_search)
{
    struct walked_stacks walked;
    size_t steps = 0;

    walked_stacks_init(&walked);
    for ( uint64_t tag = 1; tag <= 10000; tag++ )
        CHECK(walked_stacks_add(&walked, tag * 6208));
    for ( size_t i = 0; i <= walked.ids.mask; i++ )
        if ( walked.ids.slots[i].id )
            steps += 1 + ((i - walked.ids.slots[i].hash) & walked.ids.mask);
    if ( steps > 3 * 10000 )
        test_fail(__FILE__, __LINE__, "%zu steps for 10000 stacks", steps);
    walked_stacks_free(&walked);
}

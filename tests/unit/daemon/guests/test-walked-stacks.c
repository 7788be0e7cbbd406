/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks between question and sample. */
#include "daemon/guests/walked-stacks.h"
#include "tests/harness.h"

static void answer(struct walked_stacks *walked, uint64_t tag, uint32_t place)
{
    struct walked_stack *stack = walked_stacks_find(walked, tag);

    CHECK(stack && !stack->answered);
    CHECK(walked_stacks_answer(walked, stack, &place, 1));
}

static uint32_t take(struct walked_stacks *walked, uint64_t tag)
{
    struct walked_stack *stack = walked_stacks_find(walked, tag);

    CHECK(stack && stack->answered);
    CHECK_EQ(stack->count, 1);
    return *walked_stacks_take(walked, stack);
}

/* Of two rings, whose samples come in another order than they were asked in. */
TEST(stacks_are_found_by_their_samples)
{
    struct walked_stacks walked = {0};

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
        CHECK_EQ(walked.open, 0);
    }
    /* Its room was used again. */
    CHECK_EQ(walked.stacks.count, 4);
    walked_stacks_free(&walked);
}

/* A walker that died: what it had answered stays. */
TEST(questions_without_an_answer_are_forgotten)
{
    struct walked_stacks walked = {0};

    for ( uint64_t tag = 1; tag <= 3; tag++ )
        CHECK(walked_stacks_add(&walked, tag));
    answer(&walked, 2, 7);
    walked_stacks_forget_asked(&walked);
    CHECK(!walked_stacks_find(&walked, 1));
    CHECK(!walked_stacks_find(&walked, 3));
    CHECK_EQ(take(&walked, 2), 7);
    CHECK_EQ(walked.open, 0);
    walked_stacks_free(&walked);
}

/* Samples whose ring is gone never come. */
TEST(stacks_that_nobody_takes_have_an_end)
{
    struct walked_stacks walked = {0};
    size_t most = 0;

    for ( uint64_t tag = 1; tag <= 100000; tag++ )
    {
        CHECK(walked_stacks_add(&walked, tag));
        most = walked.stacks.count > most ? walked.stacks.count : most;
    }
    CHECK(most <= 16384);
    walked_stacks_free(&walked);
}

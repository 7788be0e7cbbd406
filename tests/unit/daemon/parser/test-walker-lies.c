/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walkers that a guest took over: the test plays them. */
#include <string.h>
#include <unistd.h>

#include "daemon/parser/batch-answers.h"
#include "daemon/parser/walker-link.h"
#include "tests/unit/cage/process-kit.h"
#include "tests/harness.h"

#define BASE 0xffffffff81000000ul

/* What is asked about: the answers are played. */
static struct unwind_start some_stack(void)
{
    static const uint64_t words[] = {BASE + 0x310, BASE + 0x410};
    static const struct xenoprof_registers registers = {.rsp = 0x1000};

    return (struct unwind_start){
        .ip = BASE + 5,
        .registers = &registers,
        .windows = {{0x1000, (const uint8_t *)words, sizeof(words)}},
        .kernel = true,
    };
}

static struct played_process played;

/* A batch of one stack, and one name, is away. */
static struct walker *play(void)
{
    const struct walker_tables tables = {.base = BASE};
    struct process_maker players = played_maker(&played);
    struct unwind_start stack = some_stack();
    struct walker *walker = walker_begin(&players, &tables, NULL);
    struct batch_word word;

    CHECK(walker);
    CHECK(walker_add(walker, 1, &stack));
    CHECK(walker_add_name(walker, BASE));
    CHECK_EQ(walker_send(walker), LINK_MORE);
    CHECK_EQ(played_hear(&played, &word, sizeof(word)), sizeof(word));
    CHECK_EQ(word.magic, BATCH_GO);
    CHECK_EQ(word.bytes,
             sizeof(struct batch_stack) + 16 + sizeof(struct batch_request));
    played_say_ready(&played);
    return walker;
}

/* The answers of a played walker, and where they are. */
static uint8_t *answers_now;
static struct batch_room room;

static struct batch_answers *answer_head(void)
{
    return (struct batch_answers *)answers_now;
}

static struct batch_frames *answer_frames(void)
{
    return (struct batch_frames *)(answers_now + sizeof(struct batch_answers));
}

static struct batch_name *answer_name(void)
{
    return (struct batch_name *)((uint8_t *)(answer_frames() + 1) + 24);
}

static void put_answers(void)
{
    const struct unwind_result frames = {
        .frames = {BASE + 5, BASE + 0x310, BASE + 0x410},
        .exact = {true},
        .count = 3,
        .end = UNWIND_ROOT,
    };
    const struct kernel_symbol symbol = {"startup", "driver", BASE, BASE + 9};

    answers_now = played.area +
                  batch_answers_at(sizeof(struct batch_stack) + 16 +
                                   sizeof(struct batch_request));
    room = (struct batch_room){(uint8_t *)answer_frames(), 4096};
    CHECK(batch_put_frames(&room, &frames));
    CHECK(batch_put_name(&room, BASE, &symbol));
    *answer_head() = (struct batch_answers){1, 1};
}

static struct batch_word done_word(void)
{
    return (struct batch_word){BATCH_DONE, (uint32_t)(room.at - answers_now)};
}

static void say_done(void)
{
    const struct batch_word word = done_word();

    played_say(&played, &word, sizeof(word));
}

/* Whatever is written into the area afterwards, the answers stay. */
TEST(answers_are_taken_once)
{
    struct unwind_result frames;
    struct kernel_symbol name;
    struct walker *walker = play();
    uint64_t tag, address;

    put_answers();
    say_done();
    CHECK_EQ(walker_receive(walker), LINK_OK);
    memset(played.area, 0xff, BATCH_SIZE);
    CHECK(walker_next_stack(walker, &tag, &frames));
    CHECK_EQ(tag, 1);
    CHECK_EQ(frames.count, 3);
    CHECK_EQ(frames.frames[1], BASE + 0x310);
    CHECK(!walker_next_stack(walker, &tag, &frames));
    CHECK(walker_next_name(walker, &address, &name));
    CHECK_TEXT(name.name, "startup");
    CHECK_TEXT(name.module, "driver");
    CHECK(!walker_next_name(walker, &address, &name));
    walker_end(walker);
    CHECK_EQ(played.ended, 1);
}

/* A lie: what the walker changes in honest answers, or says instead. */
static void lie_no_stack(void)
{
    answer_head()->stacks = 0;
}

static void lie_more_stacks(void)
{
    answer_head()->stacks = 2;
}

static void lie_many_stacks(void)
{
    answer_head()->stacks = 0xffffffff;
}

static void lie_many_names(void)
{
    answer_head()->names = 0xffffffff;
}

static void lie_no_names(void)
{
    answer_head()->names = 0; /* and bytes that nobody explains */
}

static void lie_no_frames(void)
{
    answer_frames()->count = 0;
}

static void lie_many_frames(void)
{
    answer_frames()->count = GUEST_FRAMES_MAX + 1;
}

static void lie_huge_count(void)
{
    answer_frames()->count = 0x20000003;
}

static void lie_end(void)
{
    answer_frames()->end = UNWIND_ENDS;
}

static uint64_t *frame_of(unsigned int number)
{
    return (uint64_t *)(answer_frames() + 1) + number;
}

static void lie_leaf(void)
{
    *frame_of(0) = BASE + 6;
}

static void lie_text_as_frame(void)
{
    *frame_of(2) = 0x0021743372633372; /* "r3cr3t!" */
}

static void lie_not_canonical(void)
{
    *frame_of(1) = 0xff00000000000000;
}

static void lie_hole(void)
{
    *frame_of(1) = 0x0000800000000000;
}

static void lie_escape(void)
{
    memcpy(answer_name() + 1, "start\033p", 7);
}

static void lie_space(void)
{
    memcpy(answer_name() + 1, "sta tup", 7);
}

static void lie_short_name(void)
{
    answer_name()->name_size = 1;
}

static void lie_long_name(void)
{
    answer_name()->name_size = BATCH_TEXT_MAX + 2;
}

static void lie_huge_name(void)
{
    answer_name()->name_size = 0xfffffff8;
}

static void lie_huge_module(void)
{
    answer_name()->module_size = 0xfffffff8;
}

static void lie_module_alone(void)
{
    answer_name()->name_size = 0;
}

static void lie_no_zero(void)
{
    memcpy(answer_name() + 1, "startupsdriver", 14);
}

static void lie_start(void)
{
    answer_name()->start = BASE + 1; /* behind the address */
}

static void lie_last(void)
{
    answer_name()->address = BASE + 10; /* behind the end */
}

static void say_word(uint32_t magic, uint32_t bytes, size_t size)
{
    const struct batch_word word = {magic, bytes};

    room.at = NULL; /* it was said */
    played_say(&played, &word, size);
}

static void lie_half_word(void)
{
    say_word(BATCH_DONE, 100, 4);
}

static void lie_magic(void)
{
    say_word(BATCH_GO, 100, 8);
}

static void lie_nothing(void)
{
    say_word(BATCH_DONE, 0, 8);
}

static void lie_all_of_the_area(void)
{
    say_word(BATCH_DONE, BATCH_SIZE, 8);
}

static void lie_beyond_the_area(void)
{
    say_word(BATCH_DONE, 0xffffffff, 8);
}

static void lie_less(void)
{
    say_word(BATCH_DONE, done_word().bytes - 8, 8);
}

static void lie_more(void)
{
    say_word(BATCH_DONE, done_word().bytes + 8, 8);
}

static void just_leave(void)
{
    room.at = NULL;
    played_leave(&played);
}

TEST(a_walker_that_lies_is_killed)
{
    static void (*const lies[])(void) = {lie_no_stack,
                                         lie_more_stacks,
                                         lie_many_stacks,
                                         lie_many_names,
                                         lie_no_names,
                                         lie_no_frames,
                                         lie_many_frames,
                                         lie_huge_count,
                                         lie_end,
                                         lie_leaf,
                                         lie_text_as_frame,
                                         lie_not_canonical,
                                         lie_hole,
                                         lie_escape,
                                         lie_space,
                                         lie_short_name,
                                         lie_long_name,
                                         lie_huge_name,
                                         lie_huge_module,
                                         lie_module_alone,
                                         lie_no_zero,
                                         lie_start,
                                         lie_last,
                                         lie_half_word,
                                         lie_magic,
                                         lie_nothing,
                                         lie_all_of_the_area,
                                         lie_beyond_the_area,
                                         lie_less,
                                         lie_more,
                                         just_leave};

    for ( size_t i = 0; i < sizeof(lies) / sizeof(lies[0]); i++ )
    {
        struct walker *walker = play();
        struct unwind_result frames;
        enum link_status status;
        uint64_t tag;

        put_answers();
        lies[i]();
        if ( room.at )
            say_done();
        status = walker_receive(walker);
        if ( status != LINK_DIED || played.ended != 1 )
            test_fail(__FILE__, __LINE__, "lie %zu: status %d, %u ended", i,
                      status, played.ended);
        CHECK(!walker_next_stack(walker, &tag, &frames));
        walker_end(walker);
    }
}

/* It answers before it was asked: the batch gets that answer, whatever it is,
 * and nobody else does. */
TEST(an_early_answer_is_an_answer)
{
    struct unwind_start stack = some_stack();
    struct walker *walker = play();

    put_answers();
    say_done();
    say_done();
    CHECK_EQ(walker_receive(walker), LINK_OK);
    CHECK_EQ(walker_receive(walker), LINK_MORE);
    stack.ip++;
    CHECK(walker_add(walker, 2, &stack));
    CHECK_EQ(walker_send(walker), LINK_MORE);
    CHECK_EQ(walker_receive(walker), LINK_DIED); /* it is not this batch's */
    walker_end(walker);
}

TEST(it_dies_between_batches)
{
    struct unwind_start stack = some_stack();
    struct walker *walker = play();

    put_answers();
    say_done();
    CHECK_EQ(walker_receive(walker), LINK_OK);
    played_leave(&played);
    CHECK_EQ(walker_receive(walker), LINK_MORE);
    CHECK(walker_add(walker, 2, &stack));
    CHECK_EQ(walker_send(walker), LINK_DIED);
    CHECK_EQ(walker_receive(walker), LINK_DIED);
    walker_end(walker);
}

TEST(it_never_began)
{
    const struct walker_tables tables = {.base = BASE};
    struct process_maker players = played_maker(&played);
    struct unwind_start stack = some_stack();
    struct walker *walker = walker_begin(&players, &tables, NULL);

    CHECK(walker_add(walker, 1, &stack));
    CHECK_EQ(walker_send(walker), LINK_MORE);
    CHECK_EQ(walker_receive(walker), LINK_MORE);
    played_leave(&played);
    CHECK_EQ(walker_receive(walker), LINK_NONE);
    CHECK_EQ(walker_send(walker), LINK_NONE);
    walker_end(walker);
}

/* The size of the area cannot be taken away under the daemon. */
TEST(the_area_keeps_its_size)
{
    struct walker *walker = play();

    CHECK(ftruncate(played.order.files[0], 0) < 0);
    CHECK(ftruncate(played.order.files[0], BATCH_SIZE * 2) < 0);
    walker_end(walker);
}

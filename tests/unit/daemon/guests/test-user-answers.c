/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an agent said of addresses: who shares it, and for how long. */
#include "daemon/guests/user-answers.h"

#include <stdlib.h>

#include "base/clock.h"
#include "clock-kit.h"
#include "tests/harness.h"

#define SECOND 1000000000ull

static struct user_answers answers;

static struct user_address of_process(uint32_t pid, uint64_t address)
{
    return (struct user_address){
        .address = address, .pid = pid, .comm = "test"};
}

static struct user_address in_file(uint64_t image, uint64_t address)
{
    return (struct user_address){
        .address = address, .image = image, .conversation = 1};
}

/* Asks, and is answered with that place; 0: not yet. */
static struct user_answer *ask(const struct user_address *file,
                               const struct user_address *of, uint32_t place)
{
    const struct user_code code = {*of, *file};
    struct user_answer *answer = user_answers_ask(&answers, &code);

    CHECK(answer);
    user_answers_wait(&answers, answer);
    if ( !place )
        return answer;
    user_answers_settle(&answers, answer);
    answer->place = place;
    answer->lasts = file->image;
    return answer;
}

static uint32_t place_of(const struct user_address *file,
                         const struct user_address *of)
{
    const struct user_code code = {*of, *file};
    const struct user_answer *answer = user_answers_find(&answers, &code);

    return answer ? answer->place : 0;
}

TEST(processes_share_what_is_in_files)
{
    const struct user_address file = in_file(7, 0x100),
                              other = in_file(8, 0x100);
    const struct user_address one = of_process(1, 0x1100);
    const struct user_address two = of_process(2, 0x2100);

    user_answers_init(&answers);
    ask(&file, &one, 5);
    CHECK_EQ(place_of(&file, &two), 5);
    CHECK_EQ(place_of(&other, &two), 0);
    CHECK_EQ(place_of(&two, &two), 0);
    clock_kit_skip(1000 * SECOND);
    CHECK_EQ(place_of(&file, &two), 5);
    user_answers_forget_places(&answers);
    CHECK_EQ(place_of(&file, &two), 0);
    user_answers_free(&answers);
}

TEST(what_is_of_a_process_grows_old)
{
    const struct user_address one = of_process(1, 0x1100);
    const struct user_address two = of_process(2, 0x1100);

    user_answers_init(&answers);
    ask(&one, &one, 5);
    CHECK_EQ(place_of(&one, &one), 5);
    CHECK_EQ(place_of(&two, &two), 0);
    clock_kit_skip(9 * SECOND);
    CHECK_EQ(place_of(&one, &one), 5);
    clock_kit_skip(2 * SECOND);
    CHECK_EQ(place_of(&one, &one), 0);
    user_answers_free(&answers);
}

TEST(who_waits_is_found)
{
    const struct user_address file = in_file(7, 0x100);
    const struct user_address one = of_process(1, 0x1100);
    const struct user_code code = {one, file};
    const struct user_answer *found;

    user_answers_init(&answers);
    ask(&file, &one, 0);
    found = user_answers_find(&answers, &code);
    CHECK(found && found->waits);
    CHECK_EQ(answers.waiting, 1);
    user_answers_free(&answers);
}

/* What is not known of one process's is for others to ask. */
TEST(a_process_that_is_not_known)
{
    const struct user_address file = in_file(7, 0x100);
    const struct user_address one = of_process(1, 0x1100);
    const struct user_address two = of_process(2, 0x2100);
    struct user_answer *own;

    user_answers_init(&answers);
    own = ask(&file, &one, 0);
    own->inner = calloc(1, sizeof(*own->inner));
    user_answer_drop_inlined(own);
    user_answers_settle(&answers, own);
    own = user_answers_make_own(&answers, own);
    CHECK(own);
    own->place = 9;
    CHECK_EQ(place_of(&file, &one), 9);
    CHECK_EQ(place_of(&file, &two), 0);
    /* A name is better, whoever asked for it. */
    ask(&file, &two, 5);
    CHECK_EQ(place_of(&file, &one), 5);
    user_answers_free(&answers);
}

/* When all are in use nobody is forgotten who waits. */
TEST(there_is_an_end_of_room)
{
    struct user_answer *waits = NULL;

    user_answers_init(&answers);
    for ( uint32_t i = 0; i < USER_ANSWERS_MAX; i++ )
    {
        const struct user_address of = of_process(1, i);

        waits = ask(&of, &of, i + 1 < USER_ANSWERS_MAX);
    }
    for ( uint32_t i = 0; i < 2; i++ )
    {
        const struct user_address of = of_process(2, 1);
        const struct user_code code = {of, of};

        CHECK(!!user_answers_ask(&answers, &code) == i);
        if ( !i )
            user_answers_settle(&answers, waits);
    }
    CHECK_EQ(answers.table.count, 1);
    user_answers_free(&answers);
}

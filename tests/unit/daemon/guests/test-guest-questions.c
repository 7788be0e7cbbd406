/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Guests are asked in turn, not too many at a time, and only who may be. */
#include "daemon/guests/guest-questions.h"
#include "tests/harness.h"

#define NOBODY GUESTS_MAX

static const struct process_maker maker;
static struct guests guests;

static uint32_t turn(void)
{
    const struct guest *guest = guest_question_turn(&guests, QUESTION_origins);

    return guest ? (uint32_t)(guest - guests.guests) : NOBODY;
}

/* A guest that may be asked something, or has nothing to be asked. */
static void want(uint32_t at, bool wants)
{
    guests.guests[at] = (struct guest){
        .used = true,
        .uuid = {(uint8_t)at},
        .state = GUEST_KNOWN,
        .walker.cr3 = 4096,
        .questions[QUESTION_origins].queue.count = wants,
    };
}

static void begin(void)
{
    guests = (struct guests){.maker = &maker};
    guest_accounts_init(&guests.accounts);
}

static void end(void)
{
    guest_accounts_free(&guests.accounts);
}

TEST(none_begins_twice_before_others)
{
    begin();
    CHECK_EQ(turn(), NOBODY);
    want(3, true);
    want(7, true);
    want(GUESTS_MAX - 1, true);
    for ( unsigned int i = 0; i < 3; i++ )
    {
        CHECK_EQ(turn(), 3);
        CHECK_EQ(turn(), 7);
        CHECK_EQ(turn(), GUESTS_MAX - 1);
    }
    /* One that came meanwhile is behind those that it is behind. */
    CHECK_EQ(turn(), 3);
    want(0, true);
    want(5, true);
    CHECK_EQ(turn(), 5);
    CHECK_EQ(turn(), 7);
    CHECK_EQ(turn(), GUESTS_MAX - 1);
    CHECK_EQ(turn(), 0);
    want(3, false);
    CHECK_EQ(turn(), 5);
    end();
}

TEST(no_more_than_there_may_be)
{
    begin();
    want(3, true);
    guests.questions[QUESTION_origins].count = 2;
    CHECK_EQ(turn(), NOBODY);
    guests.questions[QUESTION_origins].count = 1;
    CHECK_EQ(turn(), 3);
    CHECK_EQ(turn(), 3);
    /* Other questions have a turn of their own. */
    guests.questions[QUESTION_mappings].count = 2;
    CHECK_EQ(turn(), 3);
    end();
}

/* Why a guest is not asked now. */
enum hindrance {
    GONE,
    SEARCHED,
    NEVER_IN_ITS_KERNEL,
    SPENT,
    WAITS,
    ASKED,
    HINDRANCES
};

static void hinder(struct guest *guest, enum hindrance by)
{
    static struct question_search *const search = (void *)&guests;
    struct guest_question *asked = &guest->questions[QUESTION_origins];

    guest->gone = by == GONE;
    guest->state = by == SEARCHED ? GUEST_SEARCHED : GUEST_KNOWN;
    guest->walker.cr3 = by == NEVER_IN_ITS_KERNEL ? 0 : 4096;
    guests_account(&guests, guest)->cpu = by == SPENT ? UINT64_MAX : 0;
    asked->next = by == WAITS ? UINT64_MAX : 0;
    asked->search = by == ASKED ? search : NULL;
}

TEST(who_is_not_asked_now)
{
    begin();
    want(3, true);
    want(7, true);
    for ( unsigned int by = 0; by < HINDRANCES; by++ )
    {
        hinder(&guests.guests[3], by);
        CHECK_EQ(turn(), 7);
        CHECK_EQ(turn(), 7);
    }
    hinder(&guests.guests[3], HINDRANCES);
    CHECK_EQ(turn(), 3);
    end();
}

/* No process can be made. */
TEST(nobody_can_look_for_anything)
{
    begin();
    want(3, true);
    guests.maker = NULL;
    CHECK_EQ(turn(), NOBODY);
    end();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypervisor/ask.h"
#include "tests/harness.h"

#define NOW 1000000000ul

TEST(ask_and_answer)
{
    struct ask ask = {0};

    CHECK_EQ(ask_answer(&ask), ASK_NONE);
    CHECK_EQ(ask_send(&ask, NOW, false), ASK_SEND);
    CHECK(ask_outstanding(&ask));
    CHECK_EQ(ask_answer(&ask), ASK_BUSY);
    CHECK(!ask_outstanding(&ask));
    CHECK_EQ(ask_answer(&ask), ASK_NONE);
    CHECK_EQ(ask_send(&ask, NOW, true), ASK_SEND);
    CHECK_EQ(ask_answer(&ask), ASK_IDLE);
    CHECK_EQ(ask_answer(&ask), ASK_NONE);
}

TEST(ask_waits_100_ms)
{
    struct ask ask = {0};

    CHECK_EQ(ask_send(&ask, NOW, false), ASK_SEND);
    CHECK_EQ(ask_send(&ask, NOW, false), ASK_WAITING);
    CHECK_EQ(ask_send(&ask, NOW + ASK_PATIENCE, true), ASK_WAITING);
    /* The clock of another pCPU may be a little behind. */
    CHECK_EQ(ask_send(&ask, NOW - 1, false), ASK_WAITING);
    CHECK_EQ(ask_send(&ask, NOW + ASK_PATIENCE + 1, true), ASK_RESEND);
    /* An answer is for what was asked last. */
    CHECK_EQ(ask_answer(&ask), ASK_IDLE);
    CHECK_EQ(ask_answer(&ask), ASK_LATE);
    CHECK_EQ(ask_answer(&ask), ASK_NONE);
}

TEST(ask_claims_one_late_one_however_many_were_written_off)
{
    struct ask ask = {0};

    for ( uint64_t i = 0; i < 5; i++ )
        CHECK_EQ(ask_send(&ask, NOW * (i + 1), false),
                 i ? ASK_RESEND : ASK_SEND);
    CHECK_EQ(ask_answer(&ask), ASK_BUSY);
    /* An NMI that was written off stays known while others are asked for. */
    CHECK_EQ(ask_send(&ask, NOW * 5 + NOW / 2, false), ASK_SEND);
    CHECK_EQ(ask_answer(&ask), ASK_BUSY);
    CHECK_EQ(ask_answer(&ask), ASK_LATE);
    CHECK_EQ(ask_answer(&ask), ASK_NONE);
}

/* An ask that is never answered, and is written off at NOW. */
static struct ask written_off(void)
{
    struct ask ask = {0};

    CHECK_EQ(ask_send(&ask, NOW / 2, false), ASK_SEND);
    CHECK_EQ(ask_send(&ask, NOW, false), ASK_RESEND);
    CHECK_EQ(ask_answer(&ask), ASK_BUSY);
    return ask;
}

TEST(ask_that_is_late_is_ours_for_a_second)
{
    struct ask ask = written_off();

    /* Samples go on at 100 Hz. */
    for ( uint64_t ms = 10; ms < 1000; ms += 10 )
    {
        CHECK_EQ(ask_send(&ask, NOW + ms * 1000000, false), ASK_SEND);
        CHECK_EQ(ask_answer(&ask), ASK_BUSY);
    }
    CHECK_EQ(ask_answer(&ask), ASK_LATE);
}

TEST(ask_that_is_a_second_late_is_somebody_elses)
{
    struct ask ask = written_off();

    CHECK_EQ(ask_send(&ask, NOW + ASK_LATE_FOR, false), ASK_SEND);
    CHECK_EQ(ask_answer(&ask), ASK_BUSY);
    CHECK_EQ(ask_answer(&ask), ASK_NONE);
}

/* Of a pCPU that stays idle: it is looked at, and not asked. */
TEST(ask_expires_while_nothing_is_asked)
{
    struct ask ask = written_off();

    ask_expire(&ask, NOW - 1);
    ask_expire(&ask, NOW + ASK_LATE_FOR - 1);
    CHECK(ask.word);
    ask_expire(&ask, NOW + ASK_LATE_FOR);
    CHECK_EQ(ask_answer(&ask), ASK_NONE);
    /* What is outstanding stays so. */
    CHECK_EQ(ask_send(&ask, 3 * NOW, true), ASK_SEND);
    ask_expire(&ask, 9 * NOW);
    CHECK_EQ(ask_answer(&ask), ASK_IDLE);
}

/* Each new one that is written off has a second of its own. */
TEST(ask_written_off_again_is_late_again)
{
    struct ask ask = written_off();

    CHECK_EQ(ask_send(&ask, 5 * NOW, false), ASK_SEND);
    CHECK_EQ(ask_send(&ask, 6 * NOW, false), ASK_RESEND);
    CHECK_EQ(ask_answer(&ask), ASK_BUSY);
    ask_expire(&ask, 6 * NOW + ASK_LATE_FOR - 1);
    CHECK_EQ(ask_answer(&ask), ASK_LATE);
    CHECK_EQ(ask_answer(&ask), ASK_NONE);
}

TEST(ask_that_is_written_off_by_stop)
{
    struct ask ask = {0};

    CHECK(!ask_write_off(&ask, NOW));
    CHECK_EQ(ask_send(&ask, NOW, false), ASK_SEND);
    CHECK(ask_write_off(&ask, NOW));
    CHECK(!ask_write_off(&ask, NOW));
    CHECK(!ask_outstanding(&ask));
    CHECK_EQ(ask_answer(&ask), ASK_LATE);
    CHECK_EQ(ask_answer(&ask), ASK_NONE);
}

TEST(ask_at_time_0_is_outstanding)
{
    struct ask ask = {0};

    CHECK_EQ(ask_send(&ask, 0, false), ASK_SEND);
    CHECK(ask_outstanding(&ask));
    CHECK_EQ(ask_answer(&ask), ASK_BUSY);
}

/* Compares what is sent, claimed and written off with a model that counts. */
TEST(ask_never_claims_more_than_was_sent)
{
    struct ask ask = {0};
    uint64_t random = 12345, now = NOW;
    uint64_t sent = 0, claimed = 0, late = 0, off = 0;

    for ( int step = 0; step < 1000000; step++ )
    {
        enum ask_answer answer;
        enum ask_result result;

        random = random * 6364136223846793005ul + 1442695040888963407ul;
        now += (random >> 33) % (ASK_PATIENCE / 2);
        switch ( random >> 62 )
        {
        case 0:
        case 1:
            result = ask_send(&ask, now, random >> 61 & 1);
            sent += result != ASK_WAITING;
            off += result == ASK_RESEND;
            break;
        case 2:
            answer = ask_answer(&ask);
            claimed += answer == ASK_BUSY || answer == ASK_IDLE;
            late += answer == ASK_LATE;
            break;
        case 3:
            off += (random >> 50 & 7) == 0 && ask_write_off(&ask, now);
            break;
        }
        CHECK_EQ(sent, claimed + off + ask_outstanding(&ask));
        CHECK(late <= off);
    }
    CHECK(off > 1000);
    CHECK(late > 1000);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "hypervisor/core.h"
#include "hypervisor/presence.h"
#include "hypervisor/waits/wait-record.h"
#include "tests/unit/hypervisor/life-kit.h"

#define VCPUS 4000u

static uint8_t seen[VCPUS]; /* how often, by number, of domain 9 on */
static uint64_t piece, piece_time, longest;

static void note(const struct xenoprof_wait *wait)
{
    uint32_t number = (wait->domain - 9u) * 4u + wait->vcpu;

    CHECK(number < VCPUS);
    seen[number]++;
    piece = wait->time == piece_time ? piece + 1 : 1;
    piece_time = wait->time;
    if ( piece > longest )
        longest = piece;
}

static void begin(uint32_t vcpus)
{
    memset(seen, 0, sizeof(seen));
    piece = piece_time = longest = 0;
    life_begin("frequency=100 pages=16 lease=0 budget=0");
    for ( uint32_t i = 0; i < vcpus; i++ )
    {
        const struct xenoprof_wait wait = {
            .domain = 9 + i / 4,
            .vcpu = i % 4,
            .state = XENOPROF_RUNNING,
            .reasons = 1,
            .since = 5,
            .times = {i, 2, 3, 4},
        };

        process_set_wait(&wait);
    }
    life_read.each_wait = note;
}

/* Lets time pass, and reads often enough. */
static void run(uint64_t milliseconds)
{
    for ( uint64_t done = 0; done < milliseconds; done += 10 )
    {
        life_run(10);
        kit_drain_all(&life_read);
    }
}

TEST(each_vcpu_has_a_record_a_second)
{
    begin(3);
    kit_done("start");
    run(100);
    CHECK_EQ(life_read.waits, 3);
    run(9950);
    CHECK_EQ(life_read.waits, 3 * 11);
    for ( unsigned int i = 0; i < 3; i++ )
        CHECK_EQ(seen[i], 11);
    CHECK_EQ(life_read.last_wait.domain, 9);
    CHECK_EQ(life_read.last_wait.vcpu, 2);
    CHECK_EQ(life_read.last_wait.times[XENOPROF_RUNNING], 2);
    CHECK_EQ(life_read.last_wait.uuid[3], 9);
    kit_done("stop");
    kit_check_sums();
    kit_done("reset");
}

static void set_state(uint32_t vcpu, enum xenoprof_runstate state)
{
    const struct xenoprof_wait wait = {
        .domain = 9 + vcpu / 4,
        .vcpu = vcpu % 4,
        .state = state,
        .since = process_now(),
    };

    process_set_wait(&wait);
}

/* It did what it does now when it had its last record. */
TEST(who_rests_has_a_record_each_16_seconds)
{
    begin(4);
    kit_done("start");
    run(500);
    for ( unsigned int i = 0; i < 4; i++ )
        set_state(i, i); /* the states are numbered so */
    run(3000);
    CHECK_EQ(seen[XENOPROF_RUNNING], 4);
    CHECK_EQ(seen[XENOPROF_RUNNABLE], 4);
    CHECK_EQ(seen[XENOPROF_BLOCKED], 2);
    CHECK_EQ(seen[XENOPROF_OFFLINE], 2);
    set_state(XENOPROF_BLOCKED, XENOPROF_BLOCKED); /* it ran since */
    run(12 * 1000);
    CHECK_EQ(seen[XENOPROF_BLOCKED], 3);
    CHECK_EQ(seen[XENOPROF_OFFLINE], 2);
    run(1000);
    for ( unsigned int i = 0; i < 2; i++ )
        CHECK_EQ(seen[i], 17);
    CHECK_EQ(seen[XENOPROF_BLOCKED], 4);
    CHECK_EQ(seen[XENOPROF_OFFLINE], 3);
    kit_done("stop");
}

/* What a record that found no room would have said, the next round says. */
TEST(a_round_that_was_dropped_is_made_up_for)
{
    begin(VCPUS);
    kit_done("start");
    run(990);
    for ( uint32_t i = 0; i < VCPUS; i++ )
        set_state(i, XENOPROF_BLOCKED);
    life_run(1000); /* nobody reads a round */
    kit_drain_all(&life_read);
    CHECK(life_read.waits < 2 * VCPUS);
    run(1000); /* one more */
    for ( uint32_t i = 0; i < VCPUS; i++ )
        CHECK(seen[i] >= 2);
    kit_done("stop");
}

/* Also who rests, and up to the moment. */
TEST(a_stop_says_what_each_did_up_to_then)
{
    begin(4);
    kit_done("start");
    run(500);
    for ( unsigned int i = 0; i < 4; i++ )
        set_state(i, i);
    run(2300);
    memset(seen, 0, sizeof(seen));
    kit_done("stop");
    kit_drain_all(&life_read);
    for ( unsigned int i = 0; i < 4; i++ )
        CHECK_EQ(seen[i], 1);
    CHECK_EQ(life_read.last_wait.time, process_now());
    kit_check_sums();
    kit_done("stop");
    kit_drain_all(&life_read);
    CHECK_EQ(seen[0], 1);
}

/* Half of each ring takes them all, whichever the command's pCPU is. */
TEST(a_stop_fills_each_ring_and_takes_several_commands)
{
    begin(1500);
    kit_done("start");
    run(500);
    memset(seen, 0, sizeof(seen));
    longest = 0;
    CHECK_EQ(core_command("stop"), -ERROR_AGAIN);
    kit_drain_all(&life_read);
    CHECK(longest > 400); /* half of 16 pages is 409 records */
    CHECK(longest <= WAIT_RECORD_LAST);
    kit_done("stop");
    kit_drain_all(&life_read);
    CHECK_EQ(seen[1499], 1);
    kit_check_sums();
}

/* A pCPU that did not leave its second half in time may still write to a ring.
 */
TEST(a_stop_says_nothing_while_another_may_write)
{
    begin(4);
    kit_done("start");
    run(500);
    memset(seen, 0, sizeof(seen));
    CHECK(presence_enter(PRESENCE_SECOND, 1));
    kit_done("stop");
    kit_drain_all(&life_read);
    CHECK_EQ(seen[0], 0);
    presence_leave(PRESENCE_SECOND, 1);
}

/* Nobody reads then, and what was said lies in the past. */
TEST(a_session_that_ended_by_itself_has_no_last_round)
{
    begin(4);
    kit_done("reset");
    life_begin("frequency=100 pages=16 lease=1 budget=0");
    kit_done("start");
    life_read.each_wait = NULL;
    life_run(3000);
    CHECK_EQ(kit_status()->state, XENOPROF_STATE_STOPPED);
    kit_drain_all(&life_read);
    life_read.waits = 0;
    kit_done("stop");
    kit_drain_all(&life_read);
    CHECK_EQ(life_read.waits, 0);
}

/* However many there are, a tick looks at some only, and none is left out. */
TEST(a_round_is_cut_into_pieces)
{
    begin(VCPUS);
    kit_done("start");
    run(990);
    CHECK_EQ(life_read.waits, VCPUS);
    CHECK_EQ(longest, WAIT_RECORD_PIECE);
    run(1000);
    for ( uint32_t i = 0; i < VCPUS; i++ )
        CHECK_EQ(seen[i], 2);
    kit_done("stop");
    kit_check_sums();
}

/* The round goes on behind what has died, and takes in what was born. */
TEST(vcpus_come_and_go_in_a_round)
{
    const struct xenoprof_wait born = {.domain = 700, .vcpu = 3};

    begin(200);
    kit_done("start");
    while ( life_read.waits != WAIT_RECORD_PIECE )
        run(10);
    for ( unsigned int vcpu = 0; vcpu < 4; vcpu++ )
        process_end_wait(9 + WAIT_RECORD_PIECE / 4 - 1, vcpu);
    for ( unsigned int vcpu = 0; vcpu < 4; vcpu++ )
        process_end_wait(9 + WAIT_RECORD_PIECE / 4, vcpu);
    process_set_wait(&born);
    run(100);
    CHECK_EQ(life_read.waits, 200 - 4 + 1);
    for ( uint32_t i = 0; i < 200; i++ )
        CHECK_EQ(seen[i], i < WAIT_RECORD_PIECE || i >= WAIT_RECORD_PIECE + 4);
    CHECK_EQ(seen[(700 - 9) * 4 + 3], 1);
    kit_done("stop");
}

/* Samples have half of each ring for themselves, and lose nothing to these. */
TEST(a_reader_that_is_late_loses_records_and_no_counts)
{
    begin(VCPUS);
    kit_done("start");
    life_run(300);
    kit_drain_all(&life_read);
    CHECK(life_read.waits < VCPUS / 2);
    CHECK(life_read.waits > 0);
    kit_done("stop");
    kit_check_sums();
    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
        CHECK_EQ(kit_status()->counters.lost[cause], 0);
}

/* A later session begins with a whole round. */
TEST(a_start_begins_a_round)
{
    begin(3);
    kit_done("start");
    run(500);
    kit_done("stop");
    kit_done("start");
    kit_drain_all(&life_read);
    CHECK_EQ(life_read.waits, 2 * 3); /* and a stop ended with one */
    run(100);
    CHECK_EQ(life_read.waits, 3 * 3);
    kit_done("stop");
}

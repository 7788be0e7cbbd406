/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "hypervisor/wait-record.h"
#include "life-kit.h"

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
            .state = XENOPROF_BLOCKED,
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
    run(100);
    CHECK_EQ(life_read.waits, 2 * 3);
    kit_done("stop");
}

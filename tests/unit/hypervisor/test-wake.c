/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "life-kit.h"

TEST(reader_is_woken_when_a_record_is_old)
{
    life_begin("frequency=1 pages=256 lease=0 budget=0");
    process_set_idle(0);
    kit_done("start");
    CHECK_EQ(process_host()->wakes, 0);
    /* A lone sample, and nothing more. */
    while ( !kit_ring_of(XENOPROF_RING_VCPU, 5, 1)->producer )
        life_run(1);
    process_set_idle(1);
    life_run(3000);
    CHECK_EQ(process_host()->wakes, 1);
    life_run(10000);
    CHECK_EQ(process_host()->wakes, 1);
    kit_done("stop");
}

TEST(reader_is_woken_ten_times_a_second_at_most_by_age)
{
    life_begin("frequency=1000 pages=256 lease=0 budget=0");
    kit_done("start");
    for ( int i = 0; i < 100; i++ )
    {
        life_run(100);
        kit_drain_all(&life_read);
    }
    CHECK(process_host()->wakes > 80);
    CHECK(process_host()->wakes <= 100);
    kit_done("stop");
}

TEST(reader_is_woken_at_half_a_ring)
{
    life_begin("frequency=1000 pages=1 lease=0 budget=0");
    process_set_idle(0);
    kit_done("start");
    life_run(9);
    CHECK_EQ(process_host()->wakes, 0);
    life_run(8);
    CHECK(process_host()->wakes > 0);
    /* Full, and nobody reads: not more often than each 2 ms. */
    life_run(1000);
    CHECK(process_host()->wakes < 520);
    kit_done("stop");
    kit_check_sums();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/model/loaded.h"
#include "report/model/time-range.h"

#include "tests/harness.h"

#include <stdlib.h>

static const struct time_span all = {0, UINT64_MAX}, part = {100, 200};

TEST(cost_of_the_whole_session_is_the_last_sum)
{
    struct loaded_cost cost = {0};

    cost_add_module(&cost, &all, true, 50, 7);
    cost_add_module(&cost, &all, true, 150, 9);
    CHECK_EQ(cost.module, 9);
}

TEST(cost_of_a_part_is_what_came_in_it)
{
    struct loaded_cost cost = {0};

    cost_add_module(&cost, &part, false, 50, 7);
    cost_add_module(&cost, &part, false, 150, 9);
    cost_add_module(&cost, &part, false, 250, 90);
    CHECK_EQ(cost.module, 2);
    cost_add_dom0(&cost, &part, 99, &(struct xenoprof_cost){1, 1});
    CHECK(cost.reported);
    CHECK_EQ(cost_of_dom0(&cost), 0);
    cost_add_dom0(&cost, &part, 150, &(struct xenoprof_cost){10, 20});
    cost_add_dom0(&cost, &part, 201, &(struct xenoprof_cost){1, 1});
    CHECK_EQ(cost_of_dom0(&cost), 30);
}

/* What lies before the part was skipped. */
TEST(cost_of_a_part_begins_with_the_first_that_is_read)
{
    struct loaded_cost cost = {0};

    cost_add_module(&cost, &part, false, 120, 1000);
    cost_add_module(&cost, &part, false, 150, 1003);
    CHECK_EQ(cost.module, 3);
}

/* The kernel of a PV dom0 counts what a vCPU waited for a pCPU as its process's
 * work. */
TEST(cost_of_a_dom0_that_waited)
{
    static struct loaded loaded;
    struct xenoprof_waited waited = {.vcpu = 1, .span = 1000};

    loaded_init(&loaded);
    CHECK_EQ(cost_on_pcpus(&loaded, 500), 500);
    waited.running = 300;
    waited.runnable = 400;
    waited.capped = 50;
    waits_add(&loaded.waits, &all, 1000, &waited);
    CHECK_EQ(cost_on_pcpus(&loaded, 500), 200);
    /* Never more than dom0 ran, whatever was counted. */
    CHECK_EQ(cost_on_pcpus(&loaded, 1500), 300);
    CHECK_EQ(cost_on_pcpus(&loaded, UINT64_MAX), 300);
    /* Others are not asked. */
    waited.domain = 7;
    waits_add(&loaded.waits, &all, 1000, &waited);
    CHECK_EQ(cost_on_pcpus(&loaded, 500), 200);
    loaded_free(&loaded);
}

TEST(cost_of_a_hostile_file_does_not_wrap)
{
    struct loaded_cost cost = {0};

    cost_add_dom0(&cost, &all, 1, &(struct xenoprof_cost){UINT64_MAX, 5});
    cost_add_dom0(&cost, &all, 2, &(struct xenoprof_cost){5, UINT64_MAX});
    CHECK_EQ(cost_of_dom0(&cost), UINT64_MAX);
    cost_add_module(&cost, &all, true, 3, 9);
    cost_add_module(&cost, &all, true, 4, 2);
    CHECK_EQ(cost.module, 2);
}

/* Samples of vCPUs that waited are in the sums of no ring. */
TEST(made_is_read_and_lost_with_those_that_waited)
{
    struct loaded loaded;

    loaded_init(&loaded);
    loaded.read = 100;
    loaded.ended.read = 70;
    loaded.counters.made = 72;
    loaded.counters.lost[XENOPROF_LOST_RING] = 2;
    loaded.counted = true;
    loaded.waiting = (struct loaded_waiting){40, 30, 10};
    CHECK_EQ(loaded_unreadable(&loaded), 0);
    CHECK_EQ(loaded_lost_all(&loaded), 12);
    CHECK_EQ(loaded_made(&loaded), 112);
    /* A block with five of them is damaged. */
    loaded.read = 95;
    CHECK_EQ(loaded_unreadable(&loaded), 5);
    CHECK_EQ(loaded_made(&loaded), 112);
    loaded_free(&loaded);
}

/* Addresses of a process without names are one for each image, unless they are
 * asked for, or told apart in any case. */
TEST(spots_of_a_process_without_names)
{
    for ( unsigned int turn = 0; turn < 3; turn++ )
    {
        struct loaded_place places[] = {
            {.key = {1}, .mode = XENOPROF_MODE_USER, .name = {.image = 5}},
            {.key = {2}, .mode = XENOPROF_MODE_USER, .name = {.image = 5}},
            {.key = {3}, .mode = XENOPROF_MODE_USER, .name = {.image = 6}},
            {.key = {4}, .mode = XENOPROF_MODE_KERNEL, .name = {.image = 5}},
            {.key = {5}, .mode = XENOPROF_MODE_KERNEL, .name = {.image = 5}},
        };
        struct loaded loaded;
        uint32_t spots[5];

        loaded_init(&loaded);
        loaded.open = turn == 1;
        for ( unsigned int i = 0; i < 5; i++ )
            spots[i] = loaded_spot(&loaded, &places[i], turn == 2);
        CHECK_EQ(spots[0] == spots[1], !turn);
        CHECK(spots[0] != spots[2]);
        CHECK(spots[3] != spots[4]);
        CHECK_EQ(loaded.spots.count, turn ? 5 : 4);
        loaded_free(&loaded);
    }
}

/* ... and of no image, of each thread. */
TEST(who_ran_is_told_apart_where_nothing_else_is_known)
{
    struct loaded_place images[] = {
        {.key = {1}, .mode = XENOPROF_MODE_USER},
        {.key = {2}, .mode = XENOPROF_MODE_USER},
        {.key = {3}, .mode = XENOPROF_MODE_USER},
        {.key = {4}, .mode = XENOPROF_MODE_KERNEL},
    };
    const bool wanted[] = {true, true, false, false};
    const struct xenoprof_thread thread = {.comm = "nginx"};
    struct loaded loaded;

    loaded_init(&loaded);
    CHECK(names_add(&loaded.names, "user", &images[1].name.image));
    CHECK(names_add(&loaded.names, "libc.so.6", &images[2].name.image));
    CHECK(table_put(&loaded.threads, &thread));
    for ( unsigned int i = 0; i < 4; i++ )
    {
        const uint32_t below = loaded_node(
            &loaded, 0, loaded_spot(&loaded, &images[i], false));
        const uint32_t node = loaded_node(
            &loaded, below, loaded_spot(&loaded, &images[3], false));
        const struct loaded_call call = {.key = {.nodes = {0, node, 0}}};
        const struct cell cell = {.key = {.call = loaded_call(&loaded, &call)}};

        CHECK(node && cell.key.call);
        loaded_find_threads(&loaded);
        CHECK_EQ(cell_of_threads(&loaded, &cell), wanted[i]);
    }
    loaded_free(&loaded);
}

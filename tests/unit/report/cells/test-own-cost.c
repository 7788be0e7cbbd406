/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the profiler's own programs took is known by their names, where these
 * can be theirs, and is never less than dom0's kernel counted. */
#include "report/cells/own-cost.h"
#include "tests/unit/report/model/report-kit.h"

static void ran(struct report_kit *kit, struct ran_thread *ran, uint32_t domain,
                uint8_t type, const char *comm, uint64_t time)
{
    struct cell *cell = kit_cell(
        kit, (struct cell_key){.domain = domain, .type = type}, 1);

    CHECK(names_add(&kit->loaded.names, comm, &ran->comm));
    cell->ran = ran;
    cell->time = time;
}

TEST(names_are_ours_as_they_begin)
{
    static const char *const own[] = {
        "xenoprofd",   "xenoprof-search", "xenoprof-walker", "xenopctl",
        "xenopreport", "opagent",         "opagent-root"};
    static const char *const others[] = {"xenstored", "xl",   "xenop",
                                         "oprofile",  "java", ""};

    for ( size_t i = 0; i < sizeof(own) / sizeof(own[0]); i++ )
        CHECK(comm_is_own(own[i]));
    for ( size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++ )
        CHECK(!comm_is_own(others[i]));
}

TEST(in_a_guest_only_its_agent_is_ours)
{
    struct ran_thread agent = {.comm = 0}, liar = {.comm = 0};
    struct report_kit kit;

    kit_begin(&kit);
    ran(&kit, &agent, KIT_WEB, XENOPROF_TYPE_TIME, "opagent", 30);
    ran(&kit, &liar, KIT_DB, XENOPROF_TYPE_TIME, "xenoprofd", 50);
    own_cost_measure(&kit.loaded);
    CHECK_EQ(own_cost_of(&kit.loaded, KIT_WEB), 30);
    CHECK_EQ(own_cost_of(&kit.loaded, KIT_DB), 0);
    CHECK_EQ(own_cost_in_guests(&kit.loaded), 30);
    CHECK_EQ(own_cost_in_dom0(&kit.loaded), 0);
    CHECK_EQ(loaded_domain(&kit.loaded, KIT_WEB)->agent, 30);
    CHECK_EQ(loaded_domain(&kit.loaded, KIT_DB)->agent, 0);
    kit_end(&kit);
}

TEST(of_dom0_the_larger_of_both_accounts_counts)
{
    struct ran_thread daemon = {.comm = 0};
    struct report_kit kit;

    kit_begin(&kit);
    loaded_domain(&kit.loaded, KIT_DB)->key.number = 0;
    ran(&kit, &daemon, KIT_DB, XENOPROF_TYPE_TIME, "xenoprofd", 50);
    own_cost_measure(&kit.loaded);
    kit.loaded.cost.daemon = 40;
    CHECK_EQ(own_cost_in_dom0(&kit.loaded), 50);
    kit.loaded.cost.children = 20;
    CHECK_EQ(own_cost_in_dom0(&kit.loaded), 60);
    CHECK_EQ(own_cost_of(&kit.loaded, KIT_DB), 60);
    kit_end(&kit);
}

TEST(samples_that_are_not_of_time_are_none)
{
    struct ran_thread agent = {.comm = 0};
    struct report_kit kit;

    kit_begin(&kit);
    ran(&kit, &agent, KIT_WEB, XENOPROF_TYPE_WAITING, "opagent", 30);
    own_cost_measure(&kit.loaded);
    CHECK_EQ(own_cost_in_guests(&kit.loaded), 0);
    kit_end(&kit);
}

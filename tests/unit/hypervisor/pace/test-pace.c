/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "tests/harness.h"
#include "hypervisor/pace/budget.h"
#include "hypervisor/pace/lag.h"

#define SECOND 1000000000ul

static struct pace pace;

static void begin(void)
{
    memset(&pace, 0, sizeof(pace));
    pace_start(&pace, SECOND);
}

/* So many calm seconds. */
static void rest(unsigned int seconds)
{
    for ( unsigned int i = 0; i < seconds; i++ )
        pace_rest(&pace, SECOND, true);
}

TEST(pace_comes_back_step_by_step)
{
    begin();
    pace_lower(&pace, 2);
    pace_lower(&pace, 1);
    pace_lower(&pace, 3);
    CHECK_EQ(pace_halvings(&pace), 3);
    CHECK_EQ(pace.patience, 2 * SECOND);
    rest(1);
    CHECK_EQ(pace_halvings(&pace), 3);
    rest(1);
    CHECK_EQ(pace_halvings(&pace), 2);
    rest(4);
    CHECK_EQ(pace_halvings(&pace), 0);
    CHECK_EQ(pace.slowed, 3);
    CHECK_EQ(pace.raised, 3);
}

/* Down again as soon as it is up: each time it waits longer. */
TEST(pace_gets_patient_and_forgets)
{
    begin();
    for ( unsigned int i = 1; i <= 20; i++ )
    {
        pace_lower(&pace, 1);
        while ( pace_halvings(&pace) )
            pace_rest(&pace, SECOND, true);
    }
    CHECK(pace.patience >= PACE_PATIENCE_MAX);
    CHECK(pace.patience < 2 * PACE_PATIENCE_MAX);
    rest(2 * PACE_PATIENCE_MAX / SECOND);
    CHECK_EQ(pace.patience, SECOND);
    CHECK_EQ(pace_halvings(&pace), 0);
    /* Not at once: a load may come every few seconds. */
    pace_lower(&pace, 1);
    rest(2 + 59);
    CHECK_EQ(pace_halvings(&pace), 0);
    CHECK_EQ(pace.patience, 2 * SECOND);
    rest(1);
    CHECK_EQ(pace.patience, SECOND);
}

TEST(pace_leaves_1_hertz)
{
    CHECK_EQ(pace_most(0), 0);
    CHECK_EQ(pace_most(1), 0);
    CHECK_EQ(pace_most(97), 6);
    CHECK_EQ(97 >> pace_most(97), 1);
    CHECK_EQ(pace_most(5000), 12);
}

/* What costs little, and leaves rings empty, since the other reason holds the
 * frequency down, is no calm: back up it would go down again at once. */
TEST(pace_of_a_reason_that_does_not_hold_waits)
{
    struct budget budget = {.since = 0};
    struct lag lag = {.since = 0};

    budget_start(&budget, 0);
    lag_start(&lag, 0);
    budget_look(&budget, SECOND, SECOND, 10, 0, 6);
    CHECK_EQ(pace_halvings(&budget.pace), 1);
    lag_note(&lag, 4096 - 256, 4096);
    lag_look(&lag, SECOND, true, 1, 6);
    CHECK_EQ(pace_halvings(&lag.pace), 2);
    for ( unsigned int i = 2; i < 1000; i++ )
        budget_look(&budget, i * SECOND, 0, 10, 2, 6);
    CHECK_EQ(pace_halvings(&budget.pace), 1);
    for ( unsigned int i = 2; i < 1000; i++ )
        lag_look(&lag, i * SECOND, true, 3, 6);
    CHECK_EQ(pace_halvings(&lag.pace), 2);
    /* As much as the other one: then both hold. */
    for ( unsigned int i = 1000; i < 1012; i++ )
        budget_look(&budget, i * SECOND, 0, 10, 1, 6);
    CHECK_EQ(pace_halvings(&budget.pace), 0);
}

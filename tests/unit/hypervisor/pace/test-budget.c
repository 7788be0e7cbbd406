/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "tests/unit/hypervisor/core-kit.h"
#include "hypervisor/pace/budget.h"

#define BUDGET  100u /* permille */
#define ALLOWED (KIT_SECOND / 1000 * BUDGET)

static struct budget budget;
static uint64_t now;

static void begin(void)
{
    memset(&budget, 0, sizeof(budget));
    now = KIT_SECOND;
    budget_start(&budget, now);
}

/* What it leaves of 97 Hz. */
static uint32_t frequency(void)
{
    return 97u >> pace_halvings(&budget.pace);
}

/* So many seconds in each of which a pCPU spends that. */
static void spend(uint64_t each, unsigned int seconds)
{
    for ( unsigned int i = 0; i < seconds; i++ )
    {
        now += KIT_SECOND;
        CHECK(budget_due(&budget, now));
        budget_look(&budget, now, each, BUDGET, pace_halvings(&budget.pace),
                    pace_most(97));
        CHECK(budget.pace.raised <= budget.pace.slowed);
    }
}

static uint32_t changes(void)
{
    return budget.pace.slowed + budget.pace.raised;
}

TEST(budget_is_looked_at_once_a_second)
{
    begin();
    CHECK(!budget_due(&budget, now));
    CHECK(!budget_due(&budget, now - 5));
    CHECK(!budget_due(&budget, now + KIT_SECOND - 1));
    CHECK(budget_due(&budget, now + KIT_SECOND));
}

TEST(budget_halves_down_to_1)
{
    begin();
    spend(ALLOWED, 5);
    CHECK_EQ(frequency(), 97);
    spend(ALLOWED + 1, 1);
    CHECK_EQ(frequency(), 48);
    spend(ALLOWED + 1, 1000);
    CHECK_EQ(frequency(), 1);
    CHECK_EQ(budget.pace.slowed, 6);
}

TEST(budget_lets_the_frequency_come_back)
{
    begin();
    spend(ALLOWED + 1, 2);
    CHECK_EQ(frequency(), 24);
    spend(ALLOWED / 2 - 1, 9);
    CHECK_EQ(frequency(), 24);
    spend(ALLOWED / 2 - 1, 1);
    CHECK_EQ(frequency(), 48);
    spend(ALLOWED / 2 - 1, 10);
    CHECK_EQ(frequency(), 97);
    spend(0, 10000);
    CHECK_EQ(frequency(), 97);
    CHECK_EQ(budget.pace.slowed, 2);
    CHECK_EQ(budget.pace.raised, 2);
}

/* Twice the frequency would be too much again. */
TEST(budget_stays_low_while_the_cost_is_half_of_it)
{
    begin();
    spend(ALLOWED + 1, 1);
    spend(ALLOWED / 2, 10000);
    CHECK_EQ(changes(), 1);
}

/* One costly second in ten: never calm for long enough. */
TEST(budget_wants_an_unbroken_calm)
{
    begin();
    spend(ALLOWED + 1, 1);
    for ( unsigned int i = 0; i < 100; i++ )
    {
        spend(0, 9);
        spend(ALLOWED / 2, 1);
    }
    CHECK_EQ(changes(), 1);
}

/* A load that costs too much at full frequency only, and comes back as soon as
 * that does. */
TEST(budget_does_not_flap)
{
    begin();
    for ( unsigned int hour = 0; hour < 3600; hour++ )
        spend(frequency() == 97 ? ALLOWED + 1 : 0, 1);
    CHECK(changes() >= 2);
    CHECK(changes() <= 20);
    for ( unsigned int day = 0; day < 24 * 3600; day++ )
        spend(frequency() == 97 ? ALLOWED + 1 : 0, 1);
    CHECK(changes() <= 20 + 2 * 24 * 3600 / 1280 + 2);
}

TEST(budget_forgets_after_a_calm)
{
    begin();
    for ( unsigned int i = 0; i < 4; i++ )
    {
        spend(ALLOWED + 1, 1);
        spend(0, 10 << i);
    }
    CHECK_EQ(budget.pace.patience, 16 * BUDGET_PATIENCE_MIN);
    spend(0, 80);
    CHECK_EQ(frequency(), 97);
    CHECK_EQ(budget.pace.patience, BUDGET_PATIENCE_MIN);
}

TEST(budget_of_0_is_none)
{
    begin();
    now += KIT_SECOND;
    budget_look(&budget, now, -1ul, 0, 0, pace_most(97));
    CHECK_EQ(changes(), 0);
    CHECK_EQ(frequency(), 97);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core-kit.h"
#include "hypervisor/first-half.h"

/* Every case there is. */
static const struct {
    struct nmi_signs nmi; /* asked, watchdog, due, followed */
    enum nmi_claim claim;
} claims[] = {
    {{false, false, false, false}, NMI_PASS},
    {{false, false, false, true}, NMI_PASS},
    {{false, false, true, false}, NMI_PASS},
    {{false, false, true, true}, NMI_PASS},
    {{false, true, false, false}, NMI_PASS},
    {{false, true, false, true}, NMI_SWALLOW},
    {{false, true, true, false}, NMI_PASS},
    {{false, true, true, true}, NMI_PASS},
    {{true, false, false, false}, NMI_CLAIM},
    {{true, false, false, true}, NMI_CLAIM},
    {{true, false, true, false}, NMI_CLAIM},
    {{true, false, true, true}, NMI_CLAIM},
    {{true, true, false, false}, NMI_CLAIM},
    {{true, true, false, true}, NMI_CLAIM},
    {{true, true, true, false}, NMI_PASS_BOTH},
    {{true, true, true, true}, NMI_PASS_BOTH},
};

TEST(watchdog_shares_its_nmis)
{
    CHECK_EQ(sizeof(claims) / sizeof(*claims), 16);
    for ( unsigned int i = 0; i < sizeof(claims) / sizeof(*claims); i++ )
        CHECK_EQ(first_half_claim(claims[i].nmi), claims[i].claim);
}

static void session_beside_watchdog(void)
{
    process_reset(2);
    process_host()->watchdog = true;
    kit_done("reserve sampler=nmi frequency=100 mask=0 pages=1 queue=0 "
             "lease=0 budget=0 insist=1");
    CHECK_EQ(kit_state().sampler, XENOPROF_SAMPLER_NMI);
    process_set_current(0, 5, 0);
    process_set_current(1, 5, 1);
    kit_done("start");
}

TEST(watchdog_sees_each_of_its_ticks)
{
    session_beside_watchdog();
    process_host()->watchdog_due = true;
    CHECK(!process_interrupt(0, NULL));
    CHECK(!process_interrupt(0, NULL));
    process_host()->watchdog_due = false;
    CHECK(!process_interrupt(0, NULL));
    kit_done("stop");
    kit_check_sums();
}

TEST(watchdog_and_sample_in_one_nmi)
{
    session_beside_watchdog();
    process_pcpu(0)->hold_nmis = process_pcpu(1)->hold_nmis = true;
    process_run_until(process_now() + 13 * KIT_MILLISECOND);
    CHECK(process_pcpu(1)->nmis_pending);
    process_host()->watchdog_due = true;
    /* Both: the watchdog gets it, and the sample is taken all the same. */
    CHECK(!process_interrupt(1, NULL));
    process_host()->watchdog_due = false;
    /* The second of the two: swallowed, once. */
    CHECK(process_interrupt(1, NULL));
    CHECK(!process_interrupt(1, NULL));
    process_pcpu(1)->nmis_pending = 0;
    process_pcpu(0)->hold_nmis = process_pcpu(1)->hold_nmis = false;
    kit_done("stop");
    kit_check_sums();
    CHECK(kit_status()->counters.made > 0);
}

TEST(nmi_that_follows_too_late_is_not_ours)
{
    session_beside_watchdog();
    process_pcpu(1)->hold_nmis = true;
    process_run_until(process_now() + 13 * KIT_MILLISECOND);
    process_host()->watchdog_due = true;
    CHECK(!process_interrupt(1, NULL));
    process_host()->watchdog_due = false;
    process_pass(2 * KIT_MILLISECOND);
    process_pcpu(1)->nmis_pending = 0;
    CHECK(!process_interrupt(1, NULL));
    process_pcpu(1)->hold_nmis = false;
    kit_done("stop");
    kit_check_sums();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "core-kit.h"
#include "hypervisor/setup.h"

static const struct {
    enum xenoprof_sampler asked;
    bool insist;
    struct sampler_signs signs; /* slot, watchdog, together, blind, fatal */
    bool possible;
    enum xenoprof_sampler got;
} choices[] = {
#define NMI   XENOPROF_SAMPLER_NMI
#define TIMER XENOPROF_SAMPLER_TIMER
    {NMI, false, {PORT_SLOT_FREE, false, false, false, false}, true, NMI},
    {NMI, false, {PORT_SLOT_FREE, true, false, false, false}, true, TIMER},
    {NMI, false, {PORT_SLOT_OTHERS, false, false, false, false}, true, TIMER},
    {NMI, false, {PORT_SLOT_OTHERS, true, false, false, false}, true, TIMER},
    {NMI, false, {PORT_SLOT_OURS, false, false, false, false}, true, NMI},
    {NMI, false, {PORT_SLOT_OURS, true, false, false, false}, true, TIMER},
    {NMI, true, {PORT_SLOT_FREE, false, false, false, false}, true, NMI},
    {NMI, true, {PORT_SLOT_FREE, true, false, false, false}, true, NMI},
    {NMI, true, {PORT_SLOT_OTHERS, false, false, false, false}, false, TIMER},
    {NMI, true, {PORT_SLOT_OTHERS, true, false, false, false}, false, TIMER},
    {NMI, true, {PORT_SLOT_OURS, false, false, false, false}, true, NMI},
    {NMI, true, {PORT_SLOT_OURS, true, false, false, false}, true, NMI},
    {TIMER, false, {PORT_SLOT_FREE, false, false, false, false}, true, TIMER},
    {TIMER, false, {PORT_SLOT_FREE, true, false, false, false}, true, TIMER},
    {TIMER, false, {PORT_SLOT_OTHERS, false, false, false, false}, true, TIMER},
    {TIMER, true, {PORT_SLOT_OTHERS, true, false, false, false}, true, TIMER},
    {TIMER, true, {PORT_SLOT_FREE, false, false, false, false}, true, TIMER},
    {NMI, false, {PORT_SLOT_FREE, false, true, false, false}, true, TIMER},
    {NMI, false, {PORT_SLOT_FREE, true, true, false, false}, true, TIMER},
    {NMI, false, {PORT_SLOT_OTHERS, false, true, false, false}, true, TIMER},
    {NMI, true, {PORT_SLOT_FREE, false, true, false, false}, false, TIMER},
    {NMI, true, {PORT_SLOT_OURS, true, true, false, false}, false, TIMER},
    {TIMER, true, {PORT_SLOT_FREE, false, true, false, false}, true, TIMER},
    {NMI, false, {PORT_SLOT_FREE, false, false, true, false}, true, TIMER},
    {NMI, false, {PORT_SLOT_FREE, true, false, true, false}, true, TIMER},
    {NMI, true, {PORT_SLOT_FREE, false, false, true, false}, false, TIMER},
    {NMI, true, {PORT_SLOT_OURS, true, false, true, false}, false, TIMER},
    {TIMER, true, {PORT_SLOT_FREE, false, false, true, false}, true, TIMER},
    {NMI, false, {PORT_SLOT_FREE, false, false, false, true}, true, TIMER},
    {NMI, false, {PORT_SLOT_FREE, true, false, false, true}, true, TIMER},
    {NMI, true, {PORT_SLOT_FREE, false, false, false, true}, false, TIMER},
    {NMI, true, {PORT_SLOT_OURS, true, false, false, true}, false, TIMER},
    {TIMER, true, {PORT_SLOT_FREE, false, false, false, true}, true, TIMER},
};

TEST(sampler_is_chosen)
{
    for ( unsigned int i = 0; i < sizeof(choices) / sizeof(*choices); i++ )
    {
        enum xenoprof_sampler got;

        CHECK_EQ(setup_choose_sampler(choices[i].asked, choices[i].insist,
                                      choices[i].signs, &got),
                 choices[i].possible);
        CHECK_EQ(got, choices[i].got);
    }
}

TEST(sampler_falls_back_or_insists)
{
    process_reset(2);
    process_host()->slot = PORT_SLOT_OTHERS;
    kit_refused(16,
                "somebody else has Xen's NMI callback; without insist=1 the "
                "timer is the sampler",
                "reserve sampler=nmi frequency=97 mask=3 pages=1 queue=0 "
                "lease=0 budget=0 insist=1");
    kit_done("reserve sampler=nmi frequency=97 mask=3 pages=1 queue=0 "
             "lease=0 budget=0");
    CHECK_EQ(kit_state().sampler, XENOPROF_SAMPLER_TIMER);
    CHECK_EQ(kit_status()->sampler, XENOPROF_SAMPLER_TIMER);
    kit_done("reset");
    process_host()->slot = PORT_SLOT_FREE;
    kit_done("reserve sampler=nmi frequency=97 mask=3 pages=1 queue=0 "
             "lease=0 budget=0 insist=1");
    CHECK_EQ(kit_state().sampler, XENOPROF_SAMPLER_NMI);
    /* Taken between reserve and start. */
    process_host()->slot = PORT_SLOT_OTHERS;
    CHECK_EQ(kit_command("start"), -16);
    CHECK_EQ(kit_state().state, XENOPROF_STATE_RESERVED);
    CHECK_EQ(process_host()->hooked, 0);
    kit_done("reset");
}

/* sched-gran=core: an NMI could stall a core, so none is sent. */
TEST(pcpus_scheduled_as_one_get_the_timer)
{
    process_reset(2);
    process_host()->together = 2;
    CHECK_EQ(kit_state().together, 2);
    kit_refused(95,
                "Xen schedules several pCPUs as one (sched-gran), which NMIs "
                "would stall; without insist=1 the timer is the sampler",
                "reserve sampler=nmi frequency=100 mask=3 pages=4 queue=0 "
                "lease=0 budget=0 insist=1");
    kit_done("reserve sampler=nmi frequency=100 mask=3 pages=4 queue=0 "
             "lease=0 budget=0");
    CHECK_EQ(kit_state().sampler, XENOPROF_SAMPLER_TIMER);
    process_set_current(0, 5, 0);
    process_set_current(1, 5, 1);
    kit_done("start");
    process_run_until(process_now() + KIT_SECOND);
    CHECK(!process_host()->hooked);
    kit_done("stop");
    kit_check_sums();
    CHECK_EQ(process_pcpu(0)->nmis_sent + process_pcpu(1)->nmis_sent, 0);
    CHECK(kit_status()->counters.made > 190);
}

/* One of ours that gets lost would stop the host: a word of its own is needed,
 * also beside the watchdog. */
TEST(a_host_that_stops_at_nmis_gets_the_timer)
{
    process_reset(2);
    process_host()->lacks = XENOPROF_LACK_SAFE_NMIS;
    process_host()->watchdog = true;
    CHECK_EQ(kit_state().lacks, XENOPROF_LACK_SAFE_NMIS);
    kit_refused(95,
                "an NMI that nobody claims stops this host, or may "
                "(nmi=fatal); --force=nmis (fatal=1) allows NMIs, without "
                "insist=1 the timer is the sampler",
                "reserve sampler=nmi frequency=100 mask=3 pages=4 queue=0 "
                "lease=0 budget=0 insist=1");
    kit_done("reserve sampler=nmi frequency=100 mask=3 pages=4 queue=0 "
             "lease=0 budget=0");
    CHECK_EQ(kit_state().sampler, XENOPROF_SAMPLER_TIMER);
    process_set_current(0, 5, 0);
    kit_done("start");
    process_run_until(process_now() + KIT_SECOND);
    kit_done("stop");
    kit_check_sums();
    CHECK_EQ(process_pcpu(0)->nmis_sent + process_pcpu(1)->nmis_sent, 0);
    CHECK(kit_status()->counters.made > 90);
    kit_done("reset");
    kit_done("reserve sampler=nmi frequency=100 mask=3 pages=4 queue=0 "
             "lease=0 budget=0 insist=1 fatal=1");
    CHECK_EQ(kit_state().sampler, XENOPROF_SAMPLER_NMI);
}

/* NMIs would book the time of AMD's guests to Xen. */
TEST(guests_exits_that_are_not_known_get_the_timer)
{
    process_reset(2);
    CHECK_EQ(kit_state().lacks, 0);
    process_host()->lacks = XENOPROF_LACK_EXITS;
    CHECK_EQ(kit_state().lacks, XENOPROF_LACK_EXITS);
    kit_refused(95,
                "where this Xen leaves AMD's guests is not known, so NMIs "
                "would take them for Xen; without insist=1 the timer is the "
                "sampler",
                "reserve sampler=nmi frequency=100 mask=3 pages=4 queue=0 "
                "lease=0 budget=0 insist=1");
    kit_done("reserve sampler=nmi frequency=100 mask=3 pages=4 queue=0 "
             "lease=0 budget=0");
    CHECK_EQ(kit_state().sampler, XENOPROF_SAMPLER_TIMER);
    process_set_current(0, 5, 0);
    kit_done("start");
    process_run_until(process_now() + KIT_SECOND);
    kit_done("stop");
    kit_check_sums();
    CHECK_EQ(process_pcpu(0)->nmis_sent + process_pcpu(1)->nmis_sent, 0);
    CHECK(kit_status()->counters.made > 90);
}

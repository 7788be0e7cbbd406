/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "hypervisor/pmu/pmu-setup.h"
#include "pmu-kit.h"

#define RESERVE                                                                \
    "reserve sampler=pmu frequency=100 mask=0 pages=1 queue=0 lease=0 "        \
    "budget=0"

/* Everything is wrong at once: what is said is what can least be mended. */
TEST(pmu_refusals_come_in_order)
{
    struct pmu_signs signs = {
        .presence = PMU_ABSENT,
        .owner = PORT_PMU_UNKNOWN,
        .slot = PORT_SLOT_OTHERS,
        .together = true,
        .blind = true,
        .fatal = true,
    };

    CHECK_EQ(pmu_setup_refusal(&signs), PMU_REFUSED_ABSENT);
    signs.presence = PMU_TOO_OLD;
    CHECK_EQ(pmu_setup_refusal(&signs), PMU_REFUSED_OLD);
    signs.presence = PMU_PRESENT;
    CHECK_EQ(pmu_setup_refusal(&signs), PMU_REFUSED_UNKNOWN);
    signs.owner = PORT_PMU_GUESTS;
    CHECK_EQ(pmu_setup_refusal(&signs), PMU_REFUSED_GUESTS);
    signs.owner = PORT_PMU_PROFILER;
    CHECK_EQ(pmu_setup_refusal(&signs), PMU_REFUSED_PROFILER);
    signs.owner = PORT_PMU_FREE;
    CHECK_EQ(pmu_setup_refusal(&signs), PMU_REFUSED_TOGETHER);
    signs.together = false;
    CHECK_EQ(pmu_setup_refusal(&signs), PMU_REFUSED_BLIND);
    signs.blind = false;
    CHECK_EQ(pmu_setup_refusal(&signs), PMU_REFUSED_FATAL);
    signs.fatal = false;
    CHECK_EQ(pmu_setup_refusal(&signs), PMU_REFUSED_SLOT);
    signs.slot = PORT_SLOT_FREE;
    CHECK_EQ(pmu_setup_refusal(&signs), PMU_NOT_REFUSED);
}

#define ABSENT                                                                 \
    "this processor has no counters of events (PMU) that CPUID shows; sample " \
    "by time"

TEST(pmu_is_refused_without_counters)
{
    process_reset(2);
    kit_refused(ERROR_NOT_SUPPORTED, ABSENT, RESERVE);
    pmu_host(PROCESS_PMU_EMULATED, 2);
    process_host()->slot = PORT_SLOT_OTHERS;
    kit_refused(ERROR_NOT_SUPPORTED, ABSENT, RESERVE);
    /* No register was looked at: it would have aborted. */
    pmu_host(PROCESS_PMU_INTEL_V1, 2);
    kit_refused(ERROR_NOT_SUPPORTED,
                "this processor's counters of events are Intel's first "
                "version, which does not say which overflowed; sample by time",
                RESERVE);
}

TEST(pmu_is_refused_while_others_have_it)
{
    pmu_host(PROCESS_PMU_CORE, 2);
    process_host()->pmu_owner = PORT_PMU_GUESTS;
    kit_refused(ERROR_BUSY,
                "guests have the counters of events (vpmu=); boot Xen without "
                "vpmu, or sample by time",
                RESERVE);
    process_host()->pmu_owner = PORT_PMU_UNKNOWN;
    kit_refused(ERROR_NOT_SUPPORTED,
                "this Xen does not show who has the counters of events "
                "(vpmu_mode, x2apic_enabled); sample by time",
                RESERVE);
    process_host()->pmu_owner = PORT_PMU_FREE;
    process_host()->slot = PORT_SLOT_OTHERS;
    kit_refused(ERROR_BUSY,
                "somebody else has Xen's NMI callback; sample by "
                "time",
                RESERVE);
}

#define PROFILER                                                               \
    "Xen's own xenoprof has the counters of events, for dom0 or a guest that " \
    "called it (xenoprof_op); end that, or sample by time"

TEST(pmu_and_xens_own_profiler_exclude_each_other)
{
    pmu_host(PROCESS_PMU_CORE, 2);
    process_host()->pmu_owner = PORT_PMU_PROFILER;
    kit_refused(ERROR_BUSY, PROFILER, RESERVE);
    process_host()->pmu_owner = PORT_PMU_FREE;
    kit_done(RESERVE);
    kit_done("event id=0 select=3002e count=10000");
    process_host()->pmu_owner = PORT_PMU_PROFILER;
    kit_refused(ERROR_BUSY, PROFILER, "start");
    process_host()->pmu_owner = PORT_PMU_FREE;
    CHECK(!process_host()->pmu_taken);
    for ( unsigned int i = 0; i < 2; i++ )
    {
        kit_done("start");
        CHECK(process_host()->pmu_taken);
        pmu_stop_and_check(0);
        CHECK(!process_host()->pmu_taken);
    }
    kit_done("start");
    core_unload();
    CHECK(!process_host()->pmu_taken);
}

TEST(pmu_needs_a_word_where_nmis_stop_the_host)
{
    pmu_host(PROCESS_PMU_CORE, 2);
    process_host()->lacks = XENOPROF_LACK_SAFE_NMIS;
    kit_refused(ERROR_NOT_SUPPORTED,
                "an NMI that nobody claims stops this host, or may "
                "(nmi=fatal); sample by time, or add --force=nmis (fatal=1)",
                RESERVE);
    kit_done(RESERVE " fatal=1");
    kit_done("event id=0 select=3002e count=10000");
    kit_done("start");
    process_count(0, PMU_MISSES, 10000);
    process_settle();
    pmu_stop_and_check(0);
    CHECK_EQ(kit_status()->counters.made, 1);
}

TEST(pmu_needs_registers_that_are_there)
{
    pmu_host(PROCESS_PMU_INTEL_V5, 2);
    pmu_reserve();
    kit_done("event id=0 select=300c0 count=100000");
    process_pmu(1)->lacks = true;
    kit_refused(ERROR_NOT_SUPPORTED,
                "pCPU 1 does not have register 186, which CPUID shows (an "
                "emulator may do so); sample by time",
                "start");
    CHECK(!process_host()->hooked);
}

TEST(pmu_of_two_kinds)
{
    pmu_host(PROCESS_PMU_HYBRID, 4);
    pmu_reserve();
    kit_done("event id=0 select=300c0 count=100000");
    kit_refused(ERROR_NOT_SUPPORTED,
                "pCPU 3 counts other events than the other pCPUs; choose pCPUs "
                "of one kind",
                "start");
    kit_done("pcpus set=1,3");
    kit_done("start");
    process_count(1, 0xc0, 100000);
    process_settle();
    pmu_stop_and_check(0);
    CHECK_EQ(kit_status()->counters.made, 1);
}

TEST(pmu_leaves_the_firmwares_counter_alone)
{
    pmu_host(PROCESS_PMU_CORE, 2);
    process_pmu(1)->select[0] = 0x530041;
    process_pmu(1)->owned = process_pmu(0)->owned = 1;
    pmu_reserve();
    CHECK_TEXT(process_host()->log,
               "counter 0 counts already, for the firmware or others: it is "
               "left alone");
    for ( unsigned int id = 0; id < 5; id++ )
        CHECK_EQ(kit_command("event id=%u select=3002e count=10000", id), 0);
    kit_refused(ERROR_BUSY,
                "set 0 has no counter left (this processor has 6 for all "
                "events, 1 of them are used by others); put the event in "
                "another set",
                "event id=5 select=3002e count=10000");
    kit_done("start");
    process_count(0, PMU_MISSES, 10000);
    process_settle();
    pmu_stop_and_check(0);
    CHECK_EQ(kit_status()->counters.made, 5);
    CHECK_EQ(process_pmu(1)->select[0], 0x530041);
}

TEST(pmu_counter_that_is_taken_after_reserve)
{
    pmu_host(PROCESS_PMU_CORE, 2);
    pmu_reserve();
    kit_done("event id=0 select=3002e count=10000");
    process_pmu(0)->select[2] = 0x530041;
    kit_refused(ERROR_BUSY,
                "counter 2 counts since reserve, for the firmware or others; "
                "reset and reserve again",
                "start");
}

TEST(pmu_event_lines)
{
    pmu_host(PROCESS_PMU_INTEL_V2, 1);
    kit_refused(ERROR_NOT_THERE, "there is no session; reserve one",
                "event id=0 select=3002e count=10000");
    pmu_reserve();
    kit_refused(ERROR_INVALID, "event needs select=", "event id=0 count=10000");
    kit_refused(ERROR_INVALID, "select= takes a hexadecimal number",
                "event id=0 select=xyz count=10000");
    kit_refused(ERROR_RANGE, "id=32 of an event is not below 32",
                "event id=32 select=3002e count=10000");
    kit_refused(ERROR_INVALID,
                "select=23002e has bits that Intel's counters do not take from "
                "outside; these are in ff87ffff",
                "event id=0 select=23002e count=10000");
    kit_refused(ERROR_INVALID,
                "select=10003002e has bits that Intel's counters do not take "
                "from outside; these are in ff87ffff",
                "event id=0 select=10003002e count=10000");
    kit_refused(ERROR_INVALID,
                "select=2e counts in no mode; bits 16 and 17 say where",
                "event id=0 select=2e count=10000");
    kit_refused(ERROR_RANGE,
                "count=9999 is too often for such an event; at least 10000",
                "event id=0 select=3002e count=9999");
    kit_refused(ERROR_RANGE,
                "count=99999 is too often for such an event; at least 100000",
                "event id=0 select=3003c count=99999");
    kit_refused(ERROR_RANGE,
                "count=999 is too often for such an event; at least 1000",
                "event id=0 select=3003c count=999 insist=1");
    kit_refused(ERROR_RANGE, "set= of an event takes a number below 8",
                "event id=0 select=3002e count=10000 set=8");
    kit_refused(ERROR_RANGE, "set= of an event takes a number below 8",
                "event id=0 select=3002e count=10000 set=1-2");
    kit_refused(ERROR_RANGE, "set 1 comes behind set 0, which has no event yet",
                "event id=0 select=3002e count=10000 set=1");
    kit_refused(ERROR_NOT_SUPPORTED,
                "this processor does not have fixed counter 3",
                "event id=0 select=30000 count=100000 fixed=3");
    kit_refused(ERROR_INVALID,
                "no event is to be counted; say which before "
                "start",
                "start");
    kit_done("event id=0 select=30000 count=100000 fixed=1");
    kit_refused(ERROR_EXISTS, "event 0 is there already",
                "event id=0 select=3002e count=10000");
    kit_refused(ERROR_BUSY,
                "fixed counter 1 counts already, for the firmware, for others, "
                "or in this set",
                "event id=1 select=30000 count=100000 fixed=1");
    /* libpfm's bits 20 and 22 are the module's own. */
    kit_done("event id=1 select=53002e count=10000");
    kit_done("start");
    kit_refused(ERROR_BUSY, "events can only be chosen before start",
                "event id=2 select=3002e count=10000");
    pmu_stop_and_check(0);
}

TEST(pmu_event_of_a_session_by_time)
{
    kit_session(1);
    kit_refused(ERROR_INVALID, "the session's sampler is not pmu",
                "event id=0 select=3002e count=10000");
    kit_refused(ERROR_INVALID, "sampler= must be nmi, timer or pmu",
                "reserve sampler=x");
}

TEST(pmu_fixed_counters_count)
{
    for ( unsigned int i = 0; i < 2; i++ )
    {
        pmu_host(i ? PROCESS_PMU_INTEL_V5 : PROCESS_PMU_INTEL_V2, 1);
        if ( i )
            process_pmu_watchdog(1000000);
        pmu_reserve();
        kit_done("event id=0 select=30000 count=100000 fixed=0");
        kit_done("event id=1 select=10000 count=100000 fixed=2");
        kit_done("start");
        CHECK_EQ(process_pmu(0)->fixed_control, 0xa0b);
        process_count(0, 0x100, 100000);
        process_count(0, 0x102, 200000);
        process_settle();
        pmu_stop_and_check(0);
        CHECK_EQ(kit_status()->counters.made, 2);
    }
}

TEST(pmu_starts_again)
{
    pmu_host(PROCESS_PMU_PERFMON2, 2);
    pmu_reserve();
    kit_done("event id=0 select=3002e count=10000");
    for ( unsigned int i = 0; i < 3; i++ )
    {
        kit_done("start");
        process_count(1, PMU_MISSES, 10000);
        process_settle();
        pmu_stop_and_check(0);
    }
    CHECK_EQ(kit_status()->counters.made, 3);
    kit_done("reset");
    CHECK_EQ(process_host()->allocated, 0);
}

/* Counter 1 and fixed counter 1 are missing. */
TEST(pmu_with_missing_counters)
{
    pmu_host(PROCESS_PMU_INTEL_V6, 2);
    pmu_reserve();
    for ( unsigned int id = 0; id < 3; id++ )
        CHECK_EQ(kit_command("event id=%u select=3002e count=10000", id), 0);
    kit_refused(ERROR_BUSY,
                "set 0 has no counter left (this processor has 3 for all "
                "events, 0 of them are used by others); put the event in "
                "another set",
                "event id=3 select=3002e count=10000");
    kit_refused(ERROR_NOT_SUPPORTED,
                "this processor does not have fixed counter 1",
                "event id=3 select=30000 count=100000 fixed=1");
    kit_done("start");
    process_count(0, PMU_MISSES, 10000);
    process_settle();
    pmu_stop_and_check(0);
    CHECK_EQ(kit_status()->counters.made, 3);
}

/* Each register that is written, on one pCPU of two; nothing was changed. */
TEST(pmu_needs_registers_that_take_what_is_written)
{
    static const struct {
        enum process_pmu_family family;
        uint32_t msr;
        uint64_t bits;
        const char *said;
    } cases[] = {
        {PROCESS_PMU_INTEL_V5, 0x186, 0x2e,
         "pCPU 1 does not take 53002e in register 186, "},
        {PROCESS_PMU_INTEL_V5, 0x38d, 3,
         "pCPU 1 does not take b in register 38d, "},
        {PROCESS_PMU_INTEL_V5, 0x38f, 1,
         "pCPU 1 does not take 1000000ff in register 38f, "},
        {PROCESS_PMU_INTEL_V5, 0x390, 1,
         "pCPU 1 does not take 100000001 in register 390, "},
        {PROCESS_PMU_K7, 0xc0010000, 1ul << 22,
         "pCPU 1 does not take 53002e in register c0010000, "},
        {PROCESS_PMU_CORE, 0xc0010200, 0x2e,
         "pCPU 1 does not take 53002e in register c0010200, "},
        {PROCESS_PMU_PERFMON2, 0xc0000302, 1,
         "pCPU 1 does not take 1 in register c0000302, "},
        {PROCESS_PMU_IBS2, 0xc0011033, 0xffff,
         "pCPU 1 does not take 7f0ffff in register c0011033, "},
    };

    for ( unsigned int i = 0; i < sizeof(cases) / sizeof(*cases); i++ )
    {
        char text[200];

        pmu_host(cases[i].family, 2);
        pmu_reserve();
        kit_done("event id=0 select=3002e count=20000");
        if ( cases[i].family == PROCESS_PMU_INTEL_V5 )
            kit_done("event id=1 select=30000 count=100000 fixed=0");
        kit_command("event id=2 select=0 count=100000 ibs=op");
        process_pmu(1)->refuses = cases[i].msr;
        process_pmu(1)->refused = cases[i].bits;
        snprintf(text, sizeof(text),
                 "%swhich its CPUID shows; count another event, or sample by "
                 "time",
                 cases[i].said);
        kit_refused(ERROR_NOT_SUPPORTED, text, "start");
        CHECK(!process_host()->hooked);
        pmu_check_silent();
        kit_done("reset");
    }
}

/* The same of a pCPU that comes online later: it counts nothing. */
TEST(pmu_of_a_late_pcpu_that_does_not_take_what_is_written)
{
    pmu_host(PROCESS_PMU_CORE, 2);
    pmu_reserve();
    kit_done("event id=0 select=3002e count=20000");
    process_set_idle(1);
    process_set_offline(1);
    kit_done("start");
    process_pmu(1)->refuses = 0xc0010200;
    process_pmu(1)->refused = 0x2e;
    process_pcpu(1)->online = true;
    process_set_current(1, 5, 1);
    process_run_until(process_now() + KIT_SECOND);
    CHECK_EQ(pmu_here(1)->programmed, 1);
    CHECK(!process_pmu(1)->select[0]);
    process_count(0, PMU_MISSES, 20000);
    process_settle();
    pmu_stop_and_check(0);
    CHECK_EQ(kit_status()->counters.made, 1);
}

TEST(pmu_leaves_a_counter_alone_that_keeps_nothing)
{
    pmu_host(PROCESS_PMU_INTEL_V5, 2);
    process_pmu(1)->deaf = 1u << 3;
    pmu_reserve();
    CHECK_TEXT(process_host()->log,
               "counter 3 keeps no value, as where TSX_FORCE_ABORT takes it "
               "away: it is left alone");
    for ( unsigned int id = 0; id < 3; id++ )
        CHECK_EQ(kit_command("event id=%u select=3002e count=10000", id), 0);
    kit_refused(ERROR_BUSY,
                "set 0 has no counter left (this processor has 4 for all "
                "events, 1 of them are used by others); put the event in "
                "another set",
                "event id=3 select=3002e count=10000");
    /* It is taken away later, as by a host below. */
    process_pmu(0)->deaf = 1u << 1;
    kit_refused(ERROR_NOT_SUPPORTED,
                "pCPU 0 does not keep ffff80000001 in register c2, which its "
                "CPUID shows; count another event, or sample by time",
                "start");
}

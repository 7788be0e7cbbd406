/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who has the counters, by Xen's own word for it. */
#include "hypervisor/port-payload/payload.h"
#include "tests/harness.h"

unsigned long cpu_online_map[1];

static uint32_t owner, mode;
static char x2apic;
static struct xen_optional symbols = {
    .pmu_owner = (const char *)&owner,
    .vpmu_mode = (const char *)&mode,
    .x2apic_enabled = &x2apic,
};

void *ioremap(uint64_t address, __SIZE_TYPE__ bytes)
{
    (void)address;
    (void)bytes;
    return NULL;
}

void vunmap(const void *mapped)
{
    (void)mapped;
}

void on_selected_cpus(const unsigned long *mask, void (*function)(void *),
                      void *data, int wait)
{
    (void)mask;
    (void)wait;
    function(data);
}

/* The code under test, in this hypervisor. */
#define optional symbols
#include "hypervisor/port-payload/payload-pmu.c"

enum { NOBODY, PROFILER, GUESTS };

TEST(the_profiler_of_xen_is_kept_out)
{
    owner = NOBODY;
    CHECK_EQ(port_pmu_owner(), PORT_PMU_FREE);
    port_pmu_take();
    CHECK_EQ(owner, GUESTS); /* so Xen refuses it */
    CHECK_EQ(port_pmu_owner(), PORT_PMU_FREE);
    port_pmu_leave();
    CHECK_EQ(owner, NOBODY);
    port_pmu_leave();
    CHECK_EQ(owner, NOBODY);
}

/* Before we had them, or as we took them. */
TEST(the_profiler_of_xen_keeps_what_it_has)
{
    owner = PROFILER;
    CHECK_EQ(port_pmu_owner(), PORT_PMU_PROFILER);
    port_pmu_take();
    CHECK_EQ(owner, PROFILER);
    port_pmu_leave();
    CHECK_EQ(owner, PROFILER);
    owner = NOBODY;
}

TEST(guests_keep_what_they_have)
{
    port_pmu_take();
    mode = 1;
    CHECK_EQ(port_pmu_owner(), PORT_PMU_GUESTS);
    port_pmu_leave();
    CHECK_EQ(owner, GUESTS);
    mode = owner = 0;
}

/* A build without it. */
TEST(no_profiler_of_xen)
{
    symbols.pmu_owner = NULL;
    CHECK_EQ(port_pmu_owner(), PORT_PMU_FREE);
    port_pmu_take();
    port_pmu_leave();
    symbols.vpmu_mode = NULL;
    CHECK_EQ(port_pmu_owner(), PORT_PMU_UNKNOWN);
    port_pmu_leave();
    CHECK_EQ(owner, NOBODY);
    symbols.vpmu_mode = (const char *)&mode;
    symbols.pmu_owner = (const char *)&owner;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has the processor's counters, and calls to other pCPUs.
 */
#include "payload.h"

/* Who has the counters, by Xen's own account where it has its own profiler; it
 * lets one do without the other. */
#define OWNER_NOBODY   0u
#define OWNER_PROFILER 1u
#define OWNER_GUESTS   2u

static bool owner_change(uint32_t from, uint32_t to)
{
    uint32_t *owner = (uint32_t *)(uintptr_t)optional.pmu_owner;

    return owner &&
           __atomic_compare_exchange_n(owner, &from, to, false,
                                       __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

/* Xen gives counters to guests only if it was booted with vpmu=; then dom0 may
 * turn that on and off. */
enum port_pmu port_pmu_owner(void)
{
    if ( !optional.vpmu_mode || !optional.x2apic_enabled )
        return PORT_PMU_UNKNOWN;
    if ( xen_u32(optional.vpmu_mode, 0) )
        return PORT_PMU_GUESTS;
    return optional.pmu_owner &&
                   xen_u32(optional.pmu_owner, 0) == OWNER_PROFILER
               ? PORT_PMU_PROFILER
               : PORT_PMU_FREE;
}

/* By what any guest may ask of the profiler (get_buffer of hypercall
 * xenoprof_op) it would own the counters: it is refused while "guests" do.  Xen
 * has a lock for this; whoever has that now may write its own word over ours,
 * and ends the session by it. */
void port_pmu_take(void)
{
    owner_change(OWNER_NOBODY, OWNER_GUESTS);
}

/* If guests have them by now it is their word. */
void port_pmu_leave(void)
{
    if ( port_pmu_owner() == PORT_PMU_FREE )
        owner_change(OWNER_GUESTS, OWNER_NOBODY);
}

/* Xen itself calls all pCPUs from a timer, to calibrate its clock. */
void port_on_pcpus(void (*function)(void *data), void *data)
{
    on_selected_cpus(cpu_online_map, function, data, 1);
}

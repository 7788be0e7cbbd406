/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processor's counters: registers, the interrupt that they make, and calls
 * to other pCPUs.
 */
#include "payload.h"

#define MSR_APIC_BASE      0x1bu
#define APIC_BASE_ADDRESS  0xffffff000ul
#define MSR_X2APIC_COUNTER 0x834u
#define APIC_COUNTER       0x340u /* the local vector table's entry */
#define APIC_MASKED        0x10000u
#define APIC_UNDER_WAY     0x1000u
/* Of AMD's: whether there are more entries, how many, and the first. */
#define APIC_VERSION  0x30u
#define APIC_HAS_MORE 0x80000000u
#define APIC_MORE     0x400u
#define APIC_EXTRA    0x500u
#define MSR_X2APIC    0x800u

static volatile uint32_t *apic; /* NULL: not mapped */

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

uint64_t port_msr_read(uint32_t msr)
{
    uint32_t low, high;

    asm volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(msr));
    return (uint64_t)high << 32 | low;
}

void port_msr_write(uint32_t msr, uint64_t value)
{
    asm volatile("wrmsr"
                 :
                 : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                 : "memory");
}

/* An instruction that sets %[done] unless it faults: then it goes on behind, as
 * Xen's table of exceptions says, two distances from where they stand, of every
 * payload since 4.17. */
#define CAUGHT(instruction)                                                    \
    "1: " instruction "\n"                                                     \
    "   movl $1, %[done]\n"                                                    \
    "2:\n"                                                                     \
    ".section .ex_table, \"a\"\n"                                              \
    ".balign 4\n"                                                              \
    ".long 1b - .\n"                                                           \
    ".long 2b - .\n"                                                           \
    ".previous"

__attribute__((noinline)) bool port_msr_try(uint32_t msr, uint64_t *ret)
{
    uint32_t low = 0, high = 0, there = 0;

    asm volatile(CAUGHT("rdmsr")
                 : "+a"(low), "+d"(high), [done] "+r"(there)
                 : "c"(msr));
    *ret = (uint64_t)high << 32 | low;
    return there;
}

__attribute__((noinline)) bool port_msr_write_try(uint32_t msr, uint64_t value)
{
    uint32_t taken = 0;

    asm volatile(CAUGHT("wrmsr")
                 : [done] "+r"(taken)
                 : "c"(msr), "a"((uint32_t)value), "d"((uint32_t)(value >> 32))
                 : "memory");
    return taken;
}

void port_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t ret[4])
{
    asm volatile("cpuid"
                 : "=a"(ret[0]), "=b"(ret[1]), "=c"(ret[2]), "=d"(ret[3])
                 : "a"(leaf), "c"(subleaf));
}

static bool by_register(void)
{
    return xen_u8(optional.x2apic_enabled, 0);
}

bool port_pmi_open(void)
{
    if ( !by_register() && !apic )
        apic = ioremap(port_msr_read(MSR_APIC_BASE) & APIC_BASE_ADDRESS,
                       XENOPROF_PAGE_SIZE);
    return by_register() || apic;
}

/* Not in a hook: Xen would wait for pCPUs that stand still. */
void pmu_forget(void)
{
    if ( apic )
        vunmap((const void *)apic);
    apic = NULL;
}

static void write_entry(uint32_t value)
{
    if ( apic )
        apic[APIC_COUNTER / sizeof(*apic)] = value;
    else
        port_msr_write(MSR_X2APIC_COUNTER, value);
}

/* A register of the interrupt controller, in 16 bytes each. */
static bool try_apic(unsigned int at, uint32_t *ret)
{
    uint64_t value;

    if ( apic )
    {
        *ret = apic[at / sizeof(*apic)];
        return true;
    }
    if ( !by_register() || !port_msr_try(MSR_X2APIC + at / 16, &value) )
        return false;
    *ret = value;
    return true;
}

uint32_t port_pmi_entry(void)
{
    uint32_t value = APIC_MASKED;

    try_apic(APIC_COUNTER, &value);
    return value & ~APIC_UNDER_WAY;
}

void port_pmi_unmask(void)
{
    write_entry(XEN_NMI_DELIVERY);
}

void port_pmi_put_back(uint32_t entry)
{
    write_entry(entry);
}

bool port_extra_free(unsigned int entry)
{
    uint32_t version, more, value;

    return try_apic(APIC_VERSION, &version) && version & APIC_HAS_MORE &&
           try_apic(APIC_MORE, &more) && entry < (more >> 16 & 0xff) &&
           try_apic(APIC_EXTRA + entry * 16, &value) && value & APIC_MASKED;
}

bool port_extra_ours(unsigned int entry)
{
    uint32_t value;

    return try_apic(APIC_EXTRA + entry * 16, &value) &&
           (value & ~APIC_UNDER_WAY) == XEN_NMI_DELIVERY;
}

static void write_extra(unsigned int entry, uint32_t value)
{
    unsigned int at = APIC_EXTRA + entry * 16;

    if ( apic )
        apic[at / sizeof(*apic)] = value;
    else
        port_msr_write(MSR_X2APIC + at / 16, value);
}

void port_extra_unmask(unsigned int entry)
{
    write_extra(entry, XEN_NMI_DELIVERY);
}

uint32_t port_extra_entry(unsigned int entry)
{
    uint32_t value = APIC_MASKED;

    try_apic(APIC_EXTRA + entry * 16, &value);
    return value & ~APIC_UNDER_WAY;
}

void port_extra_put_back(unsigned int entry, uint32_t value)
{
    write_extra(entry, value);
}

/* Xen itself calls all pCPUs from a timer, to calibrate its clock. */
void port_on_pcpus(void (*function)(void *data), void *data)
{
    on_selected_cpus(cpu_online_map, function, data, 1);
}

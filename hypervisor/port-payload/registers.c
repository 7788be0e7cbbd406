/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Registers of the processor, and the entries of its interrupt controller that
 * its counters of events make interrupts by.
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
void registers_forget(void)
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

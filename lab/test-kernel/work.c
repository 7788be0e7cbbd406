/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypercall.h"
#include "stack-word.h"
#include "work.h"

#include <xen/xen.h>
#include <xen/version.h>

#define KEEP __attribute__((noinline, noclone))

KEEP static unsigned long leaf(unsigned long rounds)
{
    unsigned long sum = 0;

    /* The empty statement keeps the compiler from folding the loop. */
    for ( unsigned long i = 0; i < rounds; i++ )
    {
        sum += i & 1;
        asm volatile("" : "+r"(sum));
    }
    return sum;
}

KEEP static unsigned long middle(unsigned long rounds)
{
    unsigned long sum = leaf(rounds);

    asm volatile("" : "+r"(sum));
    return sum + 1;
}

KEEP unsigned long outer(unsigned long rounds)
{
    unsigned long sum = middle(rounds);

    asm volatile("" : "+r"(sum));
    return sum + 1;
}

KEEP void hypercalls(unsigned long rounds)
{
    while ( rounds-- )
        HYPERCALL(__HYPERVISOR_xen_version, XENVER_version);
}

KEEP void cpuids(unsigned long rounds)
{
    while ( rounds-- )
    {
        uint32_t a = 0, c = 0;

        asm volatile("cpuid" : "+a"(a), "+c"(c) : : "ebx", "edx");
    }
}

#define APIC_BASE_MSR 0x1b

KEEP void msr_reads(unsigned long rounds)
{
    while ( rounds-- )
    {
        uint32_t low, high;

        asm volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(APIC_BASE_MSR));
    }
}

#define APIC_X2     0xc00 /* on, with its registers as MSRs */
#define OWN_IPI_MSR 0x83f
#define IPI_VECTOR  0x41

KEEP void own_ipis(unsigned long rounds)
{
    uint32_t low, high;

    asm volatile("rdmsr" : "=a"(low), "=d"(high) : "c"(APIC_BASE_MSR));
    asm volatile("wrmsr" : : "c"(APIC_BASE_MSR), "a"(low | APIC_X2), "d"(high));
    while ( rounds-- )
        asm volatile("wrmsr" : : "c"(OWN_IPI_MSR), "a"(IPI_VECTOR), "d"(0));
}

#define APIC_VERSION 0xfee00030ul

KEEP void apic_reads(unsigned long rounds)
{
    while ( rounds-- )
        *(const volatile uint32_t *)APIC_VERSION;
}

KEEP unsigned long device_exits(unsigned long rounds)
{
    unsigned long answered = 0;
    uint32_t value;

    /* The PCI address of device 1: Xen keeps it, the data are the model's. */
    asm volatile("outl %0, %1" : : "a"(0x80000800), "d"((uint16_t)0xcf8));
    while ( rounds-- )
    {
        asm volatile("inl %1, %0" : "=a"(value) : "d"((uint16_t)0xcfc));
        answered += value != ~0u; /* what a bus without the device says */
    }
    return answered;
}

KEEP void known_stack(void)
{
    volatile uint64_t words[STACK_WORDS];

    for ( unsigned int i = 0; i < STACK_WORDS; i++ )
        words[i] = stack_word((uintptr_t)&words[i]);
    for ( ;; )
        leaf(1000000);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <cpuid.h>

#include "hypercall.h"

#define ENTRY_SIZE 32

static uint8_t page[4096] __attribute__((aligned(4096)));

static bool is_xen(uint32_t leaf)
{
    uint32_t eax, ebx, ecx, edx;

    __cpuid(leaf, eax, ebx, ecx, edx);
    return ebx == 0x566e6558 && ecx == 0x65584d4d && edx == 0x4d4d566e;
}

bool hypercalls_init(void)
{
    uint32_t leaf, pages, msr, ecx, edx;
    uint64_t address = (uintptr_t)page;

    for ( leaf = 0x40000000; leaf < 0x40010000; leaf += 0x100 )
    {
        if ( !is_xen(leaf) )
            continue;
        __cpuid(leaf + 2, pages, msr, ecx, edx);
        asm volatile("wrmsr"
                     :
                     : "c"(msr), "a"((uint32_t)address),
                       "d"((uint32_t)(address >> 32))
                     : "memory");
        return pages > 0;
    }
    return false;
}

const void *hypercall_entry(unsigned int number)
{
    return page + number * ENTRY_SIZE;
}

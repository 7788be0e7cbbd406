/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads that may fault.  Tables that are walked without a lock may change,
 * and what a stale entry leads to need not be mapped in Xen: memory maps have
 * holes that are smaller than what __mfn_valid() knows of.
 *
 * Never in an NMI, nor in what it may call: a page fault there opens the way
 * for the next NMI too early.
 */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_PAYLOAD_LOAD_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_PAYLOAD_LOAD_H

#include "hypervisor/port.h"

/* Xen's loader takes these with the payload: where a fault at the first
 * address goes on. */
#define LOAD_ON_FAULT(at, go_on)                                               \
    ".pushsection .ex_table, \"a\"\n"                                          \
    ".balign 4\n"                                                              \
    ".long " #at " - ., " #go_on " - .\n"                                      \
    ".popsection\n"

/* An entry of a page table, 4 or 8 bytes, in one piece; 0, which is none,
 * where nothing is there. */
static inline uint64_t load_entry(const void *from, unsigned int bytes)
{
    uint64_t value = 0;

    if ( bytes == 8 )
        asm volatile("1: mov %[from], %[value]\n"
                     "2:\n" LOAD_ON_FAULT(1b, 2b)
                     : [value] "+r"(value)
                     : [from] "m"(*(const uint64_t *)from));
    else
        asm volatile("1: mov %[from], %k[value]\n"
                     "2:\n" LOAD_ON_FAULT(1b, 2b)
                     : [value] "+r"(value)
                     : [from] "m"(*(const uint32_t *)from));
    return value;
}

/* size bytes; false: some are not there, and to holds whatever was. */
static inline bool load_bytes(void *to, const void *from, uint32_t size)
{
    uint64_t left = size / 8;

    /* Interrupted by a fault, the count is not zero. */
    asm volatile("1: rep movsq\n"
                 "   mov %[rest], %%ecx\n"
                 "2: rep movsb\n"
                 "3:\n" LOAD_ON_FAULT(1b, 3b) LOAD_ON_FAULT(2b, 3b)
                 : "+&c"(left), "+&D"(to), "+&S"(from)
                 : [rest] "r"(size % 8)
                 : "memory");
    return !left;
}

#endif

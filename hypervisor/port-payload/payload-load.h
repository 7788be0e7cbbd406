/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loads that may fault.  Tables that are walked without a lock may change, and
 * a stale entry may lead to memory that Xen has not mapped: memory maps have
 * holes smaller than the groups of __mfn_valid().
 *
 * Never in an NMI: a page fault returns by IRET, which unmasks NMIs too early.
 */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_PAYLOAD_LOAD_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_PAYLOAD_LOAD_H

#include "hypervisor/port.h"

/* An entry of the exception table, which Xen's loader takes with the payload: a
 * fault at the first address continues at the second. */
#define LOAD_ON_FAULT(at, go_on)                                               \
    ".pushsection .ex_table, \"a\"\n"                                          \
    ".balign 4\n"                                                              \
    ".long " #at " - ., " #go_on " - .\n"                                      \
    ".popsection\n"

/* Returns an entry of a page table, 4 or 8 bytes read at once, or 0, which maps
 * nothing, if the load faults. */
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

/* Copies size bytes.  Returns false if a load faults; the bytes before it are
 * copied. */
static inline bool load_bytes(void *to, const void *from, uint32_t size)
{
    uint64_t left = size / 8;

    /* After a fault the count is not zero. */
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "load.h"

/* Xen's loader takes these with the payload: where a fault at the first
 * address goes on. */
#define ON_FAULT(at, go_on)                                                    \
    ".pushsection .ex_table, \"a\"\n"                                          \
    ".balign 4\n"                                                              \
    ".long " #at " - ., " #go_on " - .\n"                                      \
    ".popsection\n"

bool load_entry(const void *from, unsigned int bytes, uint64_t *ret)
{
    uint64_t value = 0;
    uint32_t done = 0;

    if ( bytes == 8 )
        asm volatile("1: mov (%[from]), %[value]\n"
                     "   mov $1, %[done]\n"
                     "2:\n" ON_FAULT(1b, 2b)
                     : [value] "+r"(value), [done] "+r"(done)
                     : [from] "r"(from)
                     : "memory");
    else
        asm volatile("1: mov (%[from]), %k[value]\n"
                     "   mov $1, %[done]\n"
                     "2:\n" ON_FAULT(1b, 2b)
                     : [value] "+r"(value), [done] "+r"(done)
                     : [from] "r"(from)
                     : "memory");
    *ret = value;
    return done;
}

bool load_bytes(void *to, const void *from, uint32_t size)
{
    uint64_t left = size / 8;

    /* Interrupted by a fault, the count is not zero. */
    asm volatile("1: rep movsq\n"
                 "   mov %[rest], %%rcx\n"
                 "2: rep movsb\n"
                 "3:\n" ON_FAULT(1b, 3b) ON_FAULT(2b, 3b)
                 : "+c"(left), "+D"(to), "+S"(from)
                 : [rest] "r"((uint64_t)size % 8)
                 : "memory");
    return !left;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypercall.h"

long hypercall(unsigned int number, const struct hypercall_arguments *with)
{
    register unsigned long fourth asm("r10") = with->a[3];
    register unsigned long fifth asm("r8") = with->a[4];
    unsigned long first = with->a[0];
    unsigned long second = with->a[1];
    unsigned long third = with->a[2];
    long result;

    asm volatile("call *%[entry]"
                 : "=a"(result), "+D"(first), "+S"(second), "+d"(third),
                   "+r"(fourth), "+r"(fifth)
                 : [entry] "r"(hypercall_entry(number))
                 : "memory", "rcx", "r11");
    return result;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "hypercall.h"

long hypercall(unsigned int number, const struct hypercall_arguments *with)
{
    unsigned long first = with->a[0];
    unsigned long second = with->a[1];
    unsigned long third = with->a[2];
    unsigned long fourth = with->a[3];
    unsigned long fifth = with->a[4];
    long result = (long)hypercall_entry(number);

    asm volatile("call *%%eax"
                 : "+a"(result), "+b"(first), "+c"(second), "+d"(third),
                   "+S"(fourth), "+D"(fifth)
                 :
                 : "memory");
    return result;
}

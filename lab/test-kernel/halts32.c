/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Without descriptor tables no interrupt would end a HLT: it waits for ever. */
#include "halts.h"

void halts(unsigned long rounds)
{
    while ( rounds-- )
        asm volatile("sti; hlt" : : : "memory");
}

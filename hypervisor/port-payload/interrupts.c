/* SPDX-License-Identifier: GPL-2.0-or-later */
/* This pCPU's interrupts; a file of its own, since only a hypervisor may. */
#include "payload.h"

void interrupts_off(void)
{
    asm volatile("cli" : : : "memory");
}

void interrupts_on(void)
{
    asm volatile("sti" : : : "memory");
}

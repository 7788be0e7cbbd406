/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What stands of a guest on Xen's stack while Xen's entry code is at work.
 *
 * Whatever leads from a PV guest into Xen puts five words at the end of Xen's
 * stack: ip, cs, flags, sp, ss, the last one first.  For exceptions and
 * interrupts the processor does it, for system calls the first instructions of
 * entry code.  They stay until the way back has taken them off.
 */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_ENTRY_CODE_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_ENTRY_CODE_H

#include "hypervisor/port.h"

struct entry_code {
    uint64_t start, end; /* of all entry code */
    /* Of that which leads back to the guest; equal: it is not known. */
    uint64_t exit_start, exit_end;
};

/*
 * Xen was interrupted at ip with its stack pointer sp: are the guest's words,
 * the lowest of them at words, what they will be when Xen is done with
 * entering?  False on the way out too: the guest goes on from there before
 * anybody can look at it.  A system call's first instruction has the guest's
 * stack pointer, and some code of Xen's has stacks of its own; stack_start is
 * where this one begins. [nmi]
 */
bool entry_words_are_whole(const struct entry_code *code, uint64_t ip,
                           uint64_t sp, uint64_t stack_start, uint64_t words);

#endif

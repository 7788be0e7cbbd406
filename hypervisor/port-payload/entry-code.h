/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Xen's stack holds of a guest while Xen's entry code runs.
 *
 * Every entry from a PV guest puts five words at the end of Xen's stack: ip,
 * cs, flags, sp, ss, the last one first.  For exceptions and interrupts the
 * processor pushes them, for system calls the first instructions of the entry
 * code.  They stay until the exit code removes them.
 */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_ENTRY_CODE_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_ENTRY_CODE_H

#include "hypervisor/port.h"

struct entry_code {
    uint64_t start, end; /* all entry code */
    /* The part that returns to the guest; equal if unknown. */
    uint64_t exit_start, exit_end;
};

static inline bool entry_between(uint64_t ip, uint64_t start, uint64_t end)
{
    return ip >= start && ip < end;
}

/*
 * Xen was interrupted at ip with stack pointer sp; the lowest of the guest's
 * words is at words.  Returns true if they are complete, false if they are not
 * all there yet, or if the exit code was interrupted: then the guest runs on
 * before its state can be read.  The first instruction of a system call has the
 * guest's stack pointer, and some code of Xen has other stacks; stack_start is
 * where this stack begins. [nmi]
 */
static inline bool entry_words_are_whole(const struct entry_code *code,
                                         uint64_t ip, uint64_t sp,
                                         uint64_t stack_start, uint64_t words)
{
    if ( sp < stack_start || sp > words )
        return false;
    if ( code->exit_start >= code->exit_end )
        return !entry_between(ip, code->start, code->end);
    return !entry_between(ip, code->exit_start, code->exit_end);
}

/*
 * The same of the vector, for which there is room below those words.  The entry
 * code notes it before it makes room for the guest's registers, the lowest of
 * which is at registers; of a system call, an instruction after it made room
 * for the vector. [nmi]
 */
static inline bool entry_vector_is_whole(uint64_t sp, uint64_t registers)
{
    return sp <= registers;
}

#endif

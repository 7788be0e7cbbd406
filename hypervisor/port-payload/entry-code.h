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

/* Returns whether ip may be on its way out to the guest. */
static inline bool entry_is_exit(const struct entry_code *code, uint64_t ip)
{
    return code->exit_start < code->exit_end
               ? entry_between(ip, code->exit_start, code->exit_end)
               : entry_between(ip, code->start, code->end);
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
    return !entry_is_exit(code, ip);
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

/* How many bytes of code entry_notes_vector() reads. */
#define ENTRY_NOTE_BYTES 14u

/*
 * Returns whether the instructions at code, which Xen was interrupted before,
 * are those with which an exception, an interrupt or a system call notes its
 * vector: movl or movb $VECTOR, 4(%rsp), perhaps after endbr64 and pushq $0.
 * Entries are interrupted there more often than anywhere, since an NMI that
 * comes with an exception is taken at its first instruction. [nmi]
 */
static inline bool entry_notes_vector(const uint8_t *code, uint32_t *vector)
{
    static const uint8_t endbr[] = {0xf3, 0x0f, 0x1e, 0xfa}, push[] = {0x6a, 0},
                         word[] = {0xc7, 0x44, 0x24, 4},
                         byte[] = {0xc6, 0x44, 0x24, 4};

    if ( !memcmp(code, endbr, sizeof(endbr)) )
        code += sizeof(endbr);
    if ( !memcmp(code, push, sizeof(push)) )
        code += sizeof(push);
    if ( !memcmp(code, byte, sizeof(byte)) )
        *vector = code[sizeof(byte)];
    else if ( !memcmp(code, word, sizeof(word)) )
        memcpy(vector, code + sizeof(word), sizeof(*vector));
    else
        return false;
    return true;
}

/* Returns whether the instruction before code is such a one of an exception,
 * which left for where all exceptions go on: the vector is in its place.
 * [nmi] */
static inline bool entry_has_noted_vector(const uint8_t *code)
{
    return code[-8] == 0xc7 && code[-7] == 0x44 && code[-6] == 0x24 &&
           code[-5] == 4;
}

#endif

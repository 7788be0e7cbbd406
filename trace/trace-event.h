/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A record of Xen's trace buffers, taken apart.
 */
#ifndef XENOPROF_TRACE_TRACE_EVENT_H
#define XENOPROF_TRACE_TRACE_EVENT_H

#include <stdint.h>

#define TRACE_WORDS_MAX 7u /* behind a record's head, by Xen's interface */

/* Numbers of records, as Xen's public interface has them (xen/trace.h; the same
 * from 4.0 on). */
#define TRACE_LOST 0x0001f001u /* the buffer was full */
#define TRACE_WRAP 0x0001f002u /* nothing, up to the buffer's end */

/* A vCPU's state changes: bits 8 and 9 are the old state, 4 and 5 the new. */
#define TRACE_RUNSTATE      0x00021001u
#define TRACE_RUNSTATE_MASK 0xfffffccfu

/* An HVM or PVH guest leaves the processor, for what its first word says, and
 * goes on.  Up to 4.19 both makers' processors have the first number. */
#define TRACE_ENTRY      0x00081001u
#define TRACE_EXIT       0x00081002u
#define TRACE_EXIT_SVM   0x00081003u
#define TRACE_EXIT_FLAGS 0x00000500u /* of 64 bits; of a nested guest */

struct trace_event {
    uint32_t number;
    uint16_t pcpu;
    uint16_t words; /* at most TRACE_WORDS_MAX */
    uint64_t tsc;   /* 0: the record does not say */
    uint32_t word[TRACE_WORDS_MAX];
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traces one function of the hypervisor: what it does with memory, in terms of
 * its arguments.
 *
 * Each instruction is followed once, along the first path that reaches it, so
 * everything that is recorded holds on a path that the code really has.  Loops
 * and joins need no fixed point; the function's size bounds the work.
 *
 * Events are in the order of the paths; copies that are not a rep movs come
 * last.
 */
#ifndef XENOPROF_MODULE_FACTS_CODE_TRACE_H
#define XENOPROF_MODULE_FACTS_CODE_TRACE_H

#include "base/vector.h"
#include "value.h"
#include "module/disassembler.h"
#include "module/xen-image.h"

#define CODE_ARGUMENTS 6

enum code_event_kind {
    CODE_READ,    /* left: address */
    CODE_WRITE,   /* left: address, right: what is written */
    CODE_TEST,    /* left and right are and-ed for the flags */
    CODE_COMPARE, /* left and right are compared */
    CODE_CALL,    /* target; also a jump that leaves the function */
    CODE_RSP_SET, /* left: new stack pointer, not in this function's frame */
    CODE_CR3_SET, /* left: new root of the page tables */
    CODE_VMWRITE, /* left: number of the VMCS field, right: its new value */
    CODE_COPY,    /* arguments: to, from, bytes; of a loop, those of a turn */
    CODE_SVM,     /* VMRUN, VMLOAD or VMSAVE; left: rax */
};

struct code_event {
    enum code_event_kind kind;
    uint8_t width; /* of a read or write, in bytes */
    bool in_row;   /* a write that continues a copy */
    uint64_t address;
    uint64_t target;
    value_id left;
    value_id right;
    value_id arguments[CODE_ARGUMENTS];
};

/* Events of the function that was traced last. */
struct code_events {
    VECTOR(struct code_event);
};

struct code_tracer {
    const struct xen_image *image;
    struct disassembler disassembler;
    struct value_pool pool;
    struct code_events events;
};

/* Returns 0, -ENOMEM, or -ENOSYS if capstone cannot decode x86. */
int code_tracer_open(struct code_tracer *tracer, const struct xen_image *image);

/* Also closes a tracer that failed to open. */
void code_tracer_close(struct code_tracer *tracer);

/* Fills events for the function at a symbol; values are valid until the next
 * call.  Returns 0, -ENOENT if the symbol is not in the code, or -ENOMEM. */
int code_trace(struct code_tracer *tracer, const struct xen_symbol *function);

#endif /* XENOPROF_MODULE_FACTS_CODE_TRACE_H */

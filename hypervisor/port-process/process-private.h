/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the process port's own files share.
 */
#ifndef XENOPROF_HYPERVISOR_PORT_PROCESS_PROCESS_PRIVATE_H
#define XENOPROF_HYPERVISOR_PORT_PROCESS_PROCESS_PRIVATE_H

#include "port-process.h"

/* From the strictest to the one that may do anything; as in port.h. */
enum process_context { CONTEXT_NMI, CONTEXT_SOFT, CONTEXT_COMMAND };

/* The pCPU that this thread plays, and in which context. */
struct process_thread {
    unsigned int pcpu;
    enum process_context context;
};

struct process_thread process_enter(unsigned int pcpu,
                                    enum process_context context);
void process_leave(struct process_thread before);
struct process_thread process_here(void);

/* Abort unless this context, or a laxer one. */
void process_need(enum process_context context, const char *function);
/* Abort, and say why. */
void process_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));

void process_set_time(uint64_t time);
const uint8_t *process_uuid(uint16_t domain);
/* The whole host but its memory, as process_reset() says. */
void process_reset_world(unsigned int pcpus);
void process_reset_memory(void);

#endif

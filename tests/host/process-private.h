/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the process port's own files share.
 */
#ifndef XENOPROF_TESTS_HOST_PROCESS_PRIVATE_H
#define XENOPROF_TESTS_HOST_PROCESS_PRIVATE_H

#include "pcpu-set.h"
#include "host.h"

/* Contexts as in port.h, the strictest first. */
enum process_context {
    CONTEXT_NMI,
    CONTEXT_CALL,
    CONTEXT_SOFT,
    CONTEXT_COMMAND
};

/* What a thread plays: a pCPU, and the context that the pCPU is in. */
struct process_thread {
    unsigned int pcpu;
    enum process_context context;
    uint64_t since; /* port_ticks() when it entered that context */
};

struct process_thread process_enter(unsigned int pcpu,
                                    enum process_context context);
void process_leave(struct process_thread before);
struct process_thread process_here(void);
/* The pCPU that the thread plays. */
struct process_pcpu *process_own(void);

/* Aborts unless the thread is in this context or a laxer one. */
void process_need(enum process_context context, const char *function);
/* Aborts with a message. */
void process_fail(const char *format, ...)
    __attribute__((format(printf, 1, 2), noreturn));

/* Who is in one of the last two may have nothing on its way any more: what
 * struct process_pcpu says decides. */
struct process_sets {
    struct pcpu_set noted;   /* an NMI is to be sent there */
    struct pcpu_set stirred; /* an NMI or a softirq is on its way */
    struct pcpu_set timed;   /* its timer runs */
};

extern struct process_sets process_sets;

/* An NMI is on its way there from now on. */
static inline void process_nmi_comes(struct process_pcpu *one)
{
    one->nmis_pending++;
    pcpu_set_add(&process_sets.stirred, one->number);
}

void process_set_time(uint64_t time);
/* Returns what port_ticks() would, without its cost. */
uint64_t process_ticks(unsigned int pcpu);
/* Calibrates the pCPU's clock if its softirq is due before time. */
void process_calibrate_due(unsigned int pcpu, uint64_t before);
void process_reset_clock(unsigned int pcpus);
const uint8_t *process_uuid(uint16_t domain);
/* Resets the host without its memory, see process_reset(). */
void process_reset_world(unsigned int pcpus);
void process_reset_memory(void);
void process_reset_vcpus(void);

/* Has the pCPU take the NMI that is on its way, if there is one. */
void process_take_nmi(unsigned int pcpu);
/* If the thread is in an NMI, something else may take the pCPU. */
void process_may_be_held(void);
/* process-pmu.c: without counters; an NMI was passed on to Xen; whether its
 * watchdog has ticked. */
void process_pmu_forget(void);
void process_pmu_passed(unsigned int pcpu);
bool process_pmu_watchdog_due(unsigned int pcpu);

/* process-ibs.c, for process-pmu.c: registers, each of which returns whether it
 * is one of IBS; to read without being noticed; what a unit counts; a register
 * is about to be accessed; a sleep. */
struct process_pmu;
bool process_has_ibs(void);
bool process_ibs_try(struct process_pmu *pmu, uint32_t msr, uint64_t *ret);
bool process_ibs_read(struct process_pmu *pmu, uint32_t msr, uint64_t *ret);
bool process_ibs_write(unsigned int pcpu, uint32_t msr, uint64_t value);
void process_ibs_count(unsigned int pcpu, uint32_t event, uint64_t n);
void process_ibs_accessed(unsigned int pcpu);
void process_ibs_power(struct process_pmu *pmu);

/* In a port_reader's words: the pCPU, the rights, and of a vCPU that waits its
 * domain and number, + 1. */
enum { READER_PCPU, READER_RIGHTS, READER_WAITER };

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process port: the core in an ordinary process, with a fake host around
 * it, for tests, fuzzers, benches and libxenoprof's process backend.
 *
 * The host has pCPUs, vCPUs, NMIs, softirqs, timers and a clock, all of which
 * do only what they are told.  Whatever the core does in the wrong context,
 * or twice, or to a page that is not its own, aborts with a line that says
 * what.
 *
 * Time stands still but for process_run_until(), process_pass() and
 * port_relax().  All but the functions marked [thread] are for one thread.
 */
#ifndef XENOPROF_HYPERVISOR_PORT_PROCESS_PORT_PROCESS_H
#define XENOPROF_HYPERVISOR_PORT_PROCESS_PORT_PROCESS_H

#include "hypervisor/core.h"

#define PROCESS_PCPUS_MAX  256u
#define PROCESS_STACKS_MAX 6u

/* What an NMI or a tick on a pCPU finds there. */
struct port_frame {
    struct port_state at;    /* what is interrupted */
    struct port_state guest; /* where the guest is */
    bool complete;           /* ... if that can be known */
    struct port_xen_stack xen;
    bool on_xen_stack; /* xen.sp is on one of the pCPU's */
};

/* A fake pCPU, to be looked at and changed at will. */
struct process_pcpu {
    bool online;
    bool hold_nmis;     /* NMIs do not arrive: they wait */
    bool hold_softirqs; /* the same: a long path through Xen */
    bool drop_nmis;     /* they never arrive */
    struct port_vcpu current;
    uint32_t marks;
    struct port_frame frame;
    struct xenoprof_registers registers;
    struct port_span stacks[PROCESS_STACKS_MAX]; /* low == high: none */
    /* to be looked at: */
    uint32_t nmis_pending;
    uint64_t nmis_sent;
    uint64_t nmis_claimed;
    uint64_t nmis_passed; /* nobody claimed it: Xen would tell dom0 */
    bool softirq_pending;
    uint64_t timer;          /* when it runs out; 0: not armed */
    unsigned int timer_pcpu; /* on which pCPU */
    uint64_t ticks;          /* how often it ran out */
};

/* The page of the current guest of pcpu that address lies in: its bytes, or
 * NULL if it is not there.  Asked each time that something of it is read. */
typedef const uint8_t *process_memory(unsigned int pcpu, uint64_t address);

/* The rest of the host. */
struct process_host {
    enum port_slot slot;
    bool watchdog;
    bool watchdog_due;
    bool hooked;            /* core_before_schedule() is called */
    process_memory *memory; /* of guests; NULL: none can be read */
    uint64_t call_cost;     /* port_ticks() that pass at each port_ticks() */
    uint64_t wakes;         /* how often the reader was woken */
    uint64_t logs;
    char log[256];       /* the last line */
    int64_t memory_left; /* allocations and pages until there is no memory;
                            negative: as many as there are */
    uint64_t allocated;  /* pieces of memory that the core holds */
    uint64_t bytes;      /* of these */
    uint64_t shared;     /* pages that the core holds, shared or awaited */
    const void *unwind_table;
    uint64_t unwind_size;
    uint64_t own_text;
};

/* A new host: so many pCPUs, all online and idle, nothing loaded; time is
 * one second.  What the core had is unloaded. */
void process_reset(unsigned int pcpus);
struct process_host *process_host(void);
struct process_pcpu *process_pcpu(unsigned int pcpu);

/* Whose vCPU is current there, and where: in its kernel, guest complete. */
void process_set_current(unsigned int pcpu, uint16_t domain, uint16_t vcpu);
void process_set_idle(unsigned int pcpu);
/* Of a domain; else it is 16 times the low byte of its number. */
void process_set_uuid(uint16_t domain, const uint8_t uuid[16]);
/* Its timers move to another pCPU, as Xen does it, and do not come back. */
void process_set_offline(unsigned int pcpu);

uint64_t process_now(void);
/* Ticks run, NMIs and softirqs come, until there is nothing before time. */
void process_run_until(uint64_t time);
/* Time passes, nothing happens: all of it is late. */
void process_pass(uint64_t ns);
/* NMIs and softirqs that are pending and not held back. */
void process_settle(void);

/* An NMI on pcpu with this frame, NULL for the pCPU's own; what the core
 * said. [thread] */
bool process_interrupt(unsigned int pcpu, const struct port_frame *frame);
/* The softirq of pcpu. [thread] */
void process_commit(unsigned int pcpu);

/* The page with this frame number, as dom0 would map it; NULL: no such page.
 * [thread] */
void *process_page(uint64_t mfn);
/* The same, and it stays until it is unmapped. */
void *process_map(uint64_t mfn);
void process_unmap(uint64_t mfn);
/* The file, and the place in it, that a page's memory is; -1: no such page. */
int process_frame_file(uint64_t mfn, uint64_t *offset);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process port: the core in an ordinary process, with a fake host around
 * it, for tests, fuzzers and benches.
 *
 * The host has pCPUs, vCPUs, NMIs, softirqs, timers and a clock, which do only
 * what a test asks for.  If the core does something in the wrong context, or
 * twice, or to a page that is not its own, the process aborts with a message.
 *
 * Time stands still except in process_run_until(), process_pass() and
 * port_relax().  Only functions marked [thread] may be called by several
 * threads.
 */
#ifndef XENOPROF_TESTS_HOST_HOST_H
#define XENOPROF_TESTS_HOST_HOST_H

#include "hypervisor/core.h"

#define PROCESS_PCPUS_MAX  256u
#define PROCESS_STACKS_MAX 6u

/* What an NMI or a tick on a pCPU finds there. */
struct port_frame {
    struct port_state at;        /* what is interrupted */
    struct port_state guest;     /* where the guest is */
    bool complete;               /* guest is valid */
    struct xenoprof_entry entry; /* why it entered Xen; NONE: not known */
    struct port_xen_stack xen;
    bool on_xen_stack; /* xen.sp is on one of the pCPU's */
};

/* A fake pCPU; tests may read all of it, and change all but its number and what
 * there is to be looked at, which they may only clear. */
struct process_pcpu {
    unsigned int number;
    bool online;
    bool hold_nmis;     /* NMIs wait and do not arrive */
    bool hold_softirqs; /* softirqs wait: a long path through Xen */
    bool drop_nmis;     /* NMIs never arrive */
    bool asleep;        /* softirqs wait until another pCPU calls */
    struct port_vcpu current;
    uint64_t idle_time;  /* ns, up to the moment */
    uint64_t idle_since; /* that it was made idle, if it is */
    uint32_t marks;
    struct port_frame frame;
    struct xenoprof_registers registers;
    struct port_span stacks[PROCESS_STACKS_MAX]; /* low == high: none */
    uint64_t stack_room; /* bytes that an NMI finds free */
    /* to be looked at: */
    uint32_t nmis_pending;
    uint64_t nmis_sent;
    uint64_t nmis_claimed;
    uint64_t nmis_passed; /* not claimed: Xen would pass them to dom0 */
    bool softirq_pending;
    uint64_t softirq_since;
    uint64_t calls;          /* by other pCPUs, to commit */
    uint64_t timer;          /* when it runs out; 0: not armed */
    unsigned int timer_pcpu; /* on which pCPU */
    uint64_t ticks;          /* how often it ran out */
    uint64_t near_bytes;     /* memory that the core holds near it, */
    uint64_t near_pages;     /* and how often it shared a page there */
};

/* Returns the bytes of the page that address is in, of pcpu's current guest, or
 * NULL if it is not mapped.  Called for each read. */
typedef const uint8_t *process_memory(unsigned int pcpu, uint64_t address);

/* What there is to be read of a vCPU that waits. */
struct process_waiter {
    bool polls; /* it is blocked, and polls an event channel */
    bool whole; /* the rest can be read */
    struct port_state at;
    struct xenoprof_registers registers;
};

/* As process_memory, of a vCPU that waits. */
typedef const uint8_t *process_waiter_memory(uint16_t domain, uint16_t vcpu,
                                             uint64_t address);

/* Called where something else may hold the handler of an NMI up: before it
 * begins and after its end, at each access to a register, at each look at the
 * clock and at the current vCPU; a tick's, too, at the last two.  May let time
 * pass and count events. */
typedef void process_held(unsigned int pcpu);

/* How a pCPU's counter becomes a time. */
enum process_clock {
    /* Exact, and aborts if it is asked about a point in the past. */
    PROCESS_CLOCK_STRICT,
    /* From the pCPU's last calibration, as the versions of Xen do: wrong by
     * centuries for a point before it (4.17, 4.18, 4.19.0 to 4.19.4, 4.20.0 to
     * 4.20.2, 4.21.0), or right (4.19.5, 4.20.3, 4.21.1, 4.22). */
    PROCESS_CLOCK_UNSIGNED,
    PROCESS_CLOCK_SIGNED,
};

/* The rest of the host. */
struct process_host {
    enum process_clock clock;
    /* The clock is calibrated after a softirq of ours that was raised before,
     * as in Xen's order; else before it, as where Xen serves some softirqs
     * only. */
    bool calibrates_last;
    enum port_slot slot;
    bool watchdog;
    bool watchdog_due;
    uint8_t port_61;        /* of pCPU 0, as a PC has it, */
    uint64_t port_61_looks; /* and how often it was read */
    enum port_pmu pmu_owner;
    bool pmu_taken;         /* Xen's own profiler is kept from the counters */
    unsigned int together;  /* pCPUs that are scheduled as one */
    uint32_t lacks;         /* enum xenoprof_lack, a set */
    bool hooked;            /* core_before_schedule() is called */
    process_memory *memory; /* of guests; NULL: it cannot be read */
    process_waiter_memory *waiter_memory; /* NULL: it cannot be read */
    enum port_rights rights; /* of the reading under way, or the last */
    uint64_t call_cost;      /* ns that pass at each port_ticks() */
    process_held *held;      /* NULL: handlers of NMIs take no time */
    uint64_t looks;          /* how often that was called */
    uint64_t wakes;          /* how often the reader was woken */
    uint64_t logs;
    char log[256];        /* the last line */
    int64_t memory_left;  /* allocations and pages that succeed; negative: no
                            limit */
    uint64_t memory_free; /* bytes, before the core takes any */
    uint64_t allocated;   /* pieces of memory that the core holds */
    uint64_t bytes;       /* in those pieces */
    uint64_t shared;      /* pages that the core holds, shared or awaited */
    const void *unwind_table;
    uint64_t unwind_size;
    uint64_t own_text;
};

/* Makes a new host: so many pCPUs, all online and idle, nothing loaded; the
 * time is one second.  The core is unloaded first. */
void process_reset(unsigned int pcpus);
struct process_host *process_host(void);
struct process_pcpu *process_pcpu(unsigned int pcpu);
/* Sends it an NMI, also if it is offline or drops them. */
void process_send_nmi(unsigned int pcpu);

/* Makes a vCPU current on pcpu, in its kernel, with a complete state. */
void process_set_current(unsigned int pcpu, uint16_t domain, uint16_t vcpu);
void process_set_idle(unsigned int pcpu);

/* Adds a vCPU to those of the host, or changes one, which port_vcpus_next()
 * shows from then on.  uuid is the domain's. */
void process_set_wait(const struct xenoprof_wait *wait);
/* Says what there is of such a vCPU when it waits; without, nothing. */
void process_set_waiter(uint16_t domain, uint16_t vcpu,
                        const struct process_waiter *waiter);
/* Removes a vCPU. */
void process_end_wait(uint16_t domain, uint16_t vcpu);
/* Sets a domain's uuid; without, it is 16 times the low byte of its number. */
void process_set_uuid(uint16_t domain, const uint8_t uuid[16]);
/* Moves the pCPU's timers to another one, as Xen does; they do not return. */
void process_set_offline(unsigned int pcpu);

uint64_t process_now(void);
/* Runs ticks, NMIs and softirqs until nothing is due before time. */
void process_run_until(uint64_t time);
/* Lets time pass without events: all become late. */
void process_pass(uint64_t ns);
/* Calibrates a pCPU's clock, as is done once a second by itself. */
void process_calibrate(unsigned int pcpu);
/* Sets the counter of a pCPU, as a resume from S3 does. */
void process_set_ticks(unsigned int pcpu, uint64_t ticks);
/* Delivers NMIs and softirqs that are pending and not held. */
void process_settle(void);

/* Delivers an NMI to pcpu with this frame, or with NULL the pCPU's own.
 * Returns what core_nmi_taken() returned. [thread] */
bool process_interrupt(unsigned int pcpu, const struct port_frame *frame);
/* Runs the softirq of pcpu. [thread] */
void process_commit(unsigned int pcpu);

/* Returns the page with this frame number, as dom0 would map it, or NULL.
 * [thread] */
void *process_page(uint64_t mfn);
/* The same; the page stays until it is unmapped. */
void *process_map(uint64_t mfn);
void process_unmap(uint64_t mfn);
/* Returns the file that a page is part of, and its offset there; or -1 if there
 * is no such page. */
int process_frame_file(uint64_t mfn, uint64_t *offset);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The port: all that the core knows of the world.
 *
 * The core (the .c files in this folder) includes this header, its own, and
 * include/xenoprof/, and nothing else.  A port says what Xen says, in words
 * of events and services; it never decides anything.
 *
 * To add a port, minimum first:
 *
 *   1. a folder port-NAME/ with these functions; a <xenoprof/types.h> first
 *      on the include path if there is no <stdint.h>
 *   2. somebody who calls the four events of core.h: nmi_taken,
 *      before_schedule, tick and command
 *   3. a line in configure.ac
 *
 * Contexts.  [nmi]: may be called in an NMI: takes no lock, cannot fault,
 * bounded.  [soft]: softirq of the pCPU it is called on, interrupts on.
 * [command]: one at a time, interrupts on, may allocate.  A function may
 * also be called in every context after the one it names.
 */
#ifndef XENOPROF_HYPERVISOR_PORT_H
#define XENOPROF_HYPERVISOR_PORT_H

#include <xenoprof/ring.h>

#ifndef NULL
#define NULL ((void *)0)
#endif
#ifndef bool
#define bool _Bool
#define true 1
#define false 0
#endif

#define PORT_PCPUS_MAX 4096u

/* Time ------------------------------------------------------------------- */

/* A counter that never goes back on one pCPU, and is never torn. [nmi] */
uint64_t port_ticks(void);
/* Xen's system time in ns now, and at a value of port_ticks() taken on this
 * pCPU. [soft] */
uint64_t port_time(void);
uint64_t port_time_at(uint64_t ticks);

/* pCPUs ------------------------------------------------------------------- */

/* Highest possible pCPU number + 1, at most PORT_PCPUS_MAX. [nmi] */
unsigned int port_pcpus(void);
/* The pCPU this runs on. [nmi] */
unsigned int port_pcpu(void);
/* Stable within a tick. [soft] */
bool port_pcpu_online(unsigned int pcpu);
/* Its current vCPU is the idle vCPU; may be out of date at once. [soft] */
bool port_pcpu_idle(unsigned int pcpu);

/* What runs here ---------------------------------------------------------- */

struct port_vcpu {
    uint16_t domain;
    uint16_t vcpu;
    bool idle;
};

/* The vCPU that is current on this pCPU. [nmi] */
void port_current(struct port_vcpu *ret);

/* Its domain's uuid, 16 bytes, good until this softirq ends. [soft] */
const uint8_t *port_current_uuid(void);

/* Why nothing of the current guest may be read: 0 or XENOPROF_MARK_NESTED,
 * _DYING, _EVENT, _UNKNOWN. [nmi] */
uint32_t port_current_marks(void);

struct port_state {
    uint64_t ip;
    uint64_t sp;
    uint64_t flags;
    uint16_t cs;
    uint16_t ss;
    uint8_t mode; /* enum xenoprof_mode */
    uint8_t hvm;  /* of a guest: 1: it moved if its ip did; 0: PV, where Xen
                     itself changes ip, and sp tells */
};

/* Opaque: what the port's event handler was given. */
struct port_frame;

/*
 * What was interrupted.  Mode is kernel or user if it was the guest itself
 * (also where an emulated exit makes it look like Xen), idle if it was the
 * idle routine, else xen. [nmi]
 */
void port_interrupted(const struct port_frame *frame, struct port_state *ret);

/*
 * Where the current guest is, while Xen works on its behalf.  False if that
 * is not complete: the frame is still another vCPU's, or the interrupted
 * code is the entry code that fills it in (frame, NULL in softirqs). [nmi]
 */
bool port_guest_state(const struct port_frame *frame, struct port_state *ret);

/* The current guest's general registers; guest is what port_guest_state() has
 * just said. [soft] */
void port_guest_registers(const struct port_state *guest,
                          struct xenoprof_registers *ret);

/*
 * The current guest's memory from address on, as the mode that it is in sees
 * it: how many bytes were there, at most size, before the first page that is
 * not mapped, or not plain memory of its own.  Nothing in the guest or in
 * what Xen keeps for it changes.  0 also where this kind of guest cannot be
 * read.  guest is what port_guest_state() has just said. [soft]
 */
uint32_t port_guest_read(const struct port_state *guest, uint64_t address,
                         void *to, uint32_t size);

/* For the sampler without NMIs: what this tick's interrupt interrupted, as
 * far as can be known afterwards; mode xen has ip 0. [soft] */
void port_ticked(struct port_state *ret);

/* Xen's own stack ---------------------------------------------------------- */

/*
 * The unwind table of the hypervisor that runs (<xenoprof/unwind.h>), its size
 * in bytes, and the address that our own text starts at; NULL: there is none.
 * It stays as it is.  [command]
 */
const void *port_unwind_table(uint64_t *size, uint64_t *own_text);

/* Registers of interrupted code of Xen's, and the address at which the
 * guest's registers end the stack that guests come to. */
struct port_xen_stack {
    uint64_t ip, sp, bp, ax, r10;
    uint64_t root;
};

/* False: its stack was still, or already, the guest's. [nmi] */
bool port_xen_stack(const struct port_frame *frame, struct port_xen_stack *ret);

struct port_span {
    uint64_t low, high; /* high is not part of it */
};

/*
 * The one of this pCPU's stacks that sp lies on: Xen's main one, or that of an
 * exception.  Each of its bytes may be read.  False: it lies on none.  [nmi]
 */
bool port_xen_stack_of(uint64_t sp, struct port_span *ret);

/* NMIs -------------------------------------------------------------------- */

enum port_slot { PORT_SLOT_FREE, PORT_SLOT_OURS, PORT_SLOT_OTHERS };

/* Who has the NMI callback. [nmi] */
enum port_slot port_nmi_slot(void);
/* Take it if it is free; give it back if it is ours.  True if that was so.
 * [command] */
bool port_nmi_take(void);
bool port_nmi_leave(void);
/* Send one to pcpu, which may be the own one. [soft] */
void port_nmi_send(unsigned int pcpu);
/* Xen's NMI watchdog runs. [nmi] */
bool port_watchdog(void);
/* The watchdog's own counter says that one of its ticks is due. [nmi] */
bool port_watchdog_due(void);

/* Softirqs and timers ----------------------------------------------------- */

/* before_schedule() is called on this pCPU soon. [nmi] */
void port_request_commit(void);
/* Have before_schedule() called, or no longer.  Asking twice is fine: a tick
 * asks again after a resume from S3.  [soft] */
void port_hook_commit(void);
void port_unhook_commit(void);

/* tick(pcpu) is called once, on pcpu if it is online, at time or a little
 * later; arming again moves it. [soft] */
void port_timer_arm(unsigned int pcpu, uint64_t time);
/* Not called any more when this returns.  Not from tick(). [command] */
void port_timer_cancel(unsigned int pcpu);

/* Memory ------------------------------------------------------------------ */

/* Zeroed; NULL if there is none. [command] */
void *port_alloc(unsigned long bytes);
void port_free(void *memory, unsigned long bytes);

enum port_access { PORT_DOM0_READS, PORT_DOM0_WRITES };

/* A cleared page that dom0 may map; NULL if there is none. [command] */
void *port_page_share(enum port_access access);
uint64_t port_page_mfn(const void *page);
/* Give up the page: true if it is free now, false if dom0 still maps it;
 * then call port_page_reap() later, until it is true. [command] */
bool port_page_unshare(void *page);
bool port_page_reap(void *page);

/* dom0 -------------------------------------------------------------------- */

/* Raise the event channel. [soft] */
void port_wake_reader(void);
/* A line on Xen's console; printf's %s %u %lu %x only. [command] */
void port_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Wait about this long, at most 1 ms. [command] */
void port_relax(unsigned int microseconds);

/* Memory functions that every port has. [nmi] */
void *memcpy(void *to, const void *from, __SIZE_TYPE__ size);
void *memset(void *to, int byte, __SIZE_TYPE__ size);
int memcmp(const void *a, const void *b, __SIZE_TYPE__ size);

#endif

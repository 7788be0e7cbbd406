/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The port: all that the core knows of the world.
 *
 * The core (the .c files in this folder) includes this header, its own, and
 * include/xenoprof/, and nothing else.  A port reports what Xen does and offers
 * services; it never decides anything.
 *
 * To add a port, minimum first:
 *
 *   1. a folder port-NAME/ with these functions; a <xenoprof/types.h> first
 *      on the include path if there is no <stdint.h>
 *   2. calls of the four events of core.h: nmi_taken, before_schedule, tick and
 *      command
 *   3. a line in configure.ac
 *
 * Contexts.  [nmi]: may be called in an NMI: takes no lock, cannot fault,
 * bounded.  [call]: also in a call to this pCPU from another, with interrupts
 * off.  [soft]: in a softirq of the pCPU it is called on, interrupts on.
 * [command]: one at a time, interrupts on, may allocate.  A function may also
 * be called in every context after the one that it names.
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
#define PORT_CACHE_LINE                                                        \
    64u /* bytes; what several pCPUs write is so far apart */

/* Time ------------------------------------------------------------------- */

/* Returns a counter that never goes back on one pCPU and is never torn.
 * [nmi] */
uint64_t port_ticks(void);
/* Returns Xen's system time in ns. [soft] */
uint64_t port_time(void);
/* Returns it at a value of this pCPU's port_ticks() that was taken in this
 * softirq or command, or lies ahead; for an older one use clock.h. [soft] */
uint64_t port_time_ahead(uint64_t ticks);
/* Returns the port_ticks() of this pCPU's last calibration, from which Xen
 * computes its time; 0 if that is not known. [soft] */
uint64_t port_calibrated(void);

/* pCPUs ------------------------------------------------------------------- */

/* Returns the highest possible pCPU number + 1, at most PORT_PCPUS_MAX.
 * [nmi] */
unsigned int port_pcpus(void);
/* Returns the pCPU that this runs on. [nmi] */
unsigned int port_pcpu(void);
/* Returns whether a pCPU is online; does not change during a tick. [soft] */
bool port_pcpu_online(unsigned int pcpu);
/* Returns whether a pCPU's current vCPU is the idle vCPU; may be out of date at
 * once. [soft] */
bool port_pcpu_idle(unsigned int pcpu);
/* Returns for how many ns of Xen's system time this pCPU was idle.  [soft] */
uint64_t port_idle_time(void);

/* Returns how many pCPUs a second half would have wait: those Xen schedules
 * as one, at most in any of its pools (1 unless it was told to, sched-gran=core
 * or socket), or 1 where the second half has a softirq of its own. [command] */
unsigned int port_pcpus_together(void);

/* What runs here ---------------------------------------------------------- */

struct port_vcpu {
    uint16_t domain;
    uint16_t vcpu;
    bool idle;
};

/* Fills in the vCPU that is current on this pCPU. [nmi] */
void port_current(struct port_vcpu *ret);

/* Returns the uuid of its domain, 16 bytes, valid until this softirq ends.
 * [soft] */
const uint8_t *port_current_uuid(void);

/* Returns 0, or the marks that say why the current guest must not be read:
 * XENOPROF_MARK_NESTED, _DYING, _EVENT, _UNKNOWN. [nmi] */
uint32_t port_current_marks(void);

struct port_state {
    uint64_t ip;
    uint64_t sp;
    uint64_t flags;
    uint16_t cs;
    uint16_t ss;
    uint8_t mode; /* enum xenoprof_mode */
    uint8_t hvm;  /* of a guest.  HVM: compare ip to detect movement.  PV: Xen
                     may change ip itself, so compare sp. */
};

/* Opaque: what the port's NMI handler was given. */
struct port_frame;

/*
 * Fills in what was interrupted.  The mode is kernel or user for the guest
 * itself (also where the NMI ended its run and is taken in Xen), idle for the
 * idle routine, else xen. [nmi]
 */
void port_interrupted(const struct port_frame *frame, struct port_state *ret);

/*
 * Fills in where the current guest is, while Xen works on its behalf; frame is
 * NULL in softirqs.  Returns true, or false if the state is incomplete: Xen's
 * copy is still another vCPU's, or the interrupted code is the entry code that
 * fills it in. [nmi]
 */
bool port_guest_state(const struct port_frame *frame, struct port_state *ret);

/* Fills in why the current guest, not the idle vCPU, entered Xen; frame is what
 * port_guest_state() was given, and has_guest what it returned: a PV guest's
 * way in is known before its state is, and after.  Returns false if it is not
 * known. [nmi] */
bool port_guest_entry(const struct port_frame *frame, bool has_guest,
                      struct xenoprof_entry *ret);

/* Fills in the current guest's general registers; guest is what
 * port_guest_state() just returned. [soft] */
void port_guest_registers(const struct port_state *guest,
                          struct xenoprof_registers *ret);

/* Whose rights a reading has. */
enum port_rights {
    PORT_RIGHTS_CURRENT, /* those of the guest's current mode */
    PORT_RIGHTS_USER,    /* of the process for which the kernel works now */
    PORT_RIGHTS_KERNEL,
    PORT_RIGHTS_ISOLATED_KERNEL, /* of one that isolates page tables: in an HVM
                                    guest, its root is the current one with bit
                                    12 cleared */
};

/* Several readings of one guest in a row, with what they found of its tables;
 * opaque. */
struct port_reader {
    uint64_t words[48];
};

/* Begins them.  Returns true, or false if such a guest cannot be read; the
 * reader holds nothing, and is good for this softirq.  guest is what
 * port_guest_state() just returned. [soft] */
bool port_reader_open(const struct port_state *guest, enum port_rights rights,
                      struct port_reader *ret);
/*
 * Copies the guest's memory from address on.  Returns the number of bytes
 * copied: size, or less where a page follows that is not mapped or not plain
 * memory of the guest; no others stay in what was given to write them to.
 * Changes nothing in the guest, nor in what Xen keeps for it. [soft]
 */
uint32_t port_reader_read(struct port_reader *reader, uint64_t address,
                          void *to, uint32_t size);
/* The same where the guest's kernel has always mapped the same memory.  *known,
 * 0 at first, is where that was found, for the next reading of this address, in
 * any softirq, without a look at the guest's tables: as long as it is the
 * domain's memory. [soft] */
uint32_t port_reader_read_again(struct port_reader *reader, uint64_t address,
                                void *to, uint32_t size, uint64_t *known);

/* All vCPUs of the host, but for idle ones, in the order of domains' numbers.
 * A walk ends with the softirq. */
struct port_vcpus {
    const void *domain; /* opaque; NULL: at the end */
    uint32_t vcpu;      /* the next */
};

/* Begins a walk at this vCPU, or at the first one behind it. [soft] */
void port_vcpus_from(struct port_vcpus *walk, uint16_t domain, uint32_t vcpu);
/* Fills in all but head and time.  Returns false after the last vCPU; there is
 * none with lack WAITS. [soft] */
bool port_vcpus_next(struct port_vcpus *walk, struct xenoprof_wait *ret);

/*
 * A vCPU that is on no pCPU, and waits for one or polls an event channel.  It
 * may get a pCPU at any moment: what is read of it holds only if
 * port_waiter_waits() is still true after all was read.
 */
struct port_waiter {
    const void *self; /* opaque; good for this softirq */
    const uint8_t *uuid;
    uint64_t since;  /* port_time() when the wait began */
    uint64_t waited; /* ns that it was runnable since it was made, with this
                        wait; 0: it polls, which is not accounted for */
    uint16_t domain;
    uint16_t vcpu;
};

/*
 * Goes on with a walk up to the next vCPU that waits; *looks is how many it may
 * look at, and goes down.  Returns true, or false if none of those waits;
 * domain and vcpu of *ret are then those of the last it looked at.  With looks
 * left the walk is over. [soft]
 */
bool port_waiter_next(struct port_vcpus *walk, unsigned int *looks,
                      struct port_waiter *ret);
/* Returns whether it has waited without a break since port_waiter_next().
 * [soft] */
bool port_waiter_waits(const struct port_waiter *waiter);
/* Fills in where it goes on when it runs, and its registers.  Returns false if
 * they cannot be read now. [soft] */
bool port_waiter_state(const struct port_waiter *waiter, struct port_state *at,
                       struct xenoprof_registers *registers);
/* Begins readings in its memory, with the rights that it has at; returns false
 * if it cannot be read.  at is what port_waiter_state() filled in. [soft] */
bool port_waiter_reader(const struct port_waiter *waiter,
                        const struct port_state *at, struct port_reader *ret);

/* Returns what the port cannot do on this hypervisor (<xenoprof/door.h>); does
 * not change.  EXITS: an NMI that ends the run of a guest cannot always be told
 * from one that interrupts Xen.  PV_STACKS, HVM_STACKS: port_reader_open() is
 * false for such guests.  FREES: nothing is freed while it is unloaded.
 * WAITS: vCPUs cannot be listed.  REASONS: it is not known why one is
 * offline.  WAITING: port_waiter_next() finds none.  SAFE_NMIS: one that nobody
 * claims stops the host, or it is not known that it does not.
 * XEN_STACKS is the core's. [command, soft] */
uint32_t port_lacks(void);

/* For the sampler without NMIs: fills in what this tick's interrupt
 * interrupted, as far as that is known afterwards; ip is 0 in mode xen.
 * [soft] */
void port_ticked(struct port_state *ret);

/* Xen's own stack ---------------------------------------------------------- */

/*
 * Returns the unwind table of the running hypervisor (<xenoprof/unwind.h>), or
 * NULL without one; *size in bytes, *own_text is where our own text starts.
 * The table does not change.  [command]
 */
const void *port_unwind_table(uint64_t *size, uint64_t *own_text);

/* Registers of interrupted Xen code.  root is the address of the guest's
 * registers, at the end of the stack on which guests enter. */
struct port_xen_stack {
    uint64_t ip, sp, bp, ax, r10;
    uint64_t root;
};

/* Fills them in.  Returns true, or false if the stack was still, or already,
 * the guest's. [nmi] */
bool port_xen_stack(const struct port_frame *frame, struct port_xen_stack *ret);

struct port_span {
    uint64_t low, high; /* high is the first address beyond */
};

/*
 * Finds the stack of this pCPU that sp lies on: Xen's main one, or that of an
 * exception.  Returns true, and every byte of *ret may be read; or false if sp
 * is on no stack.  [nmi]
 */
bool port_xen_stack_of(uint64_t sp, struct port_span *ret);

/* Returns how many bytes of the stack that this runs on are still free, 0 if
 * that is not known. [nmi] */
uint64_t port_stack_room(void);

/* NMIs -------------------------------------------------------------------- */

enum port_slot { PORT_SLOT_FREE, PORT_SLOT_OURS, PORT_SLOT_OTHERS };

/* Returns who has the NMI callback. [nmi] */
enum port_slot port_nmi_slot(void);
/* Takes the callback.  Returns true if it is ours now, false if it was not
 * free. [command] */
bool port_nmi_take(void);
/* Gives it back.  Returns true if it was ours. [soft] */
bool port_nmi_leave(void);
/* Notes that pcpu, which may be this one, is to have an NMI. [soft] */
void port_nmi_note(unsigned int pcpu);
/* Sends an NMI to all that were noted on this pCPU since the last call, and to
 * nobody else, or to none if the callback is not ours. [soft] */
void port_nmi_send(void);
/* Returns whether Xen's NMI watchdog runs. [nmi] */
bool port_watchdog(void);
/* Returns whether the watchdog's own counter says that a tick of it is due.
 * [nmi] */
bool port_watchdog_due(void);
/* Returns whether the board says that an NMI is its own (port 61, SERR or
 * IOCHK).  It has those of one pCPU only; on others this is false.  May take
 * long, where firmware serves the port: only for an NMI that is nobody's.
 * [nmi] */
bool port_nmi_external(void);

/* The processor's counters ------------------------------------------------- */

/* Who has them. */
enum port_pmu {
    PORT_PMU_FREE,     /* nobody but a watchdog */
    PORT_PMU_GUESTS,   /* Xen gives them to guests */
    PORT_PMU_PROFILER, /* Xen's own profiler, which a guest may ask for them */
    PORT_PMU_UNKNOWN   /* it is not known */
};

/* Returns that; guests may be given them at any time. [soft] */
enum port_pmu port_pmu_owner(void);
/* Keeps Xen's own profiler from them, if they are free. [command] */
void port_pmu_take(void);
/* Lets it have them again; may be repeated. [soft] */
void port_pmu_leave(void);
/* Read and write a register that this pCPU has. [nmi] */
uint64_t port_msr_read(uint32_t msr);
void port_msr_write(uint32_t msr, uint64_t value);
/* Reads a register that this pCPU may not have.  Returns false if it has
 * not. [call] */
bool port_msr_try(uint32_t msr, uint64_t *ret);
/* Writes one that may not take that.  Returns false if it does not. [call] */
bool port_msr_write_try(uint32_t msr, uint64_t value);
/* Fills in eax, ebx, ecx and edx of CPUID on this pCPU. [call] */
void port_cpuid(uint32_t leaf, uint32_t subleaf, uint32_t ret[4]);

/* Prepares the next three until the core is at rest; may be repeated.  Returns
 * false without memory. [command] */
bool port_pmi_open(void);
/* Returns what an overflow on this pCPU makes: an entry of its local vector
 * table. [call] */
uint32_t port_pmi_entry(void);
/* Has the next overflow make an NMI, or what it made before. [nmi] */
void port_pmi_unmask(void);
void port_pmi_put_back(uint32_t entry);

/* Returns whether this pCPU has that one of the entries for more interrupts
 * that AMD's processors have, and it makes none; port_pmi_open() was called.
 * [call] */
bool port_extra_free(unsigned int entry);
/* Returns whether it makes NMIs, as after port_extra_unmask(). [call] */
bool port_extra_ours(unsigned int entry);
/* Returns what such an entry makes. [call] */
uint32_t port_extra_entry(unsigned int entry);
/* Has it make NMIs, or what it made before. [nmi] */
void port_extra_unmask(unsigned int entry);
void port_extra_put_back(unsigned int entry, uint32_t value);

/* Has function(data) called on each pCPU that is online, and returns when all
 * have returned. [soft] */
void port_on_pcpus(void (*function)(void *data), void *data);
/* While every pCPU stands still and cannot be called: has core_nmi_taken()
 * called on each other one that is online, and returns when it has been, or
 * 10 ms later. [command] */
void port_nmi_all(void);

/* Softirqs and timers ----------------------------------------------------- */

/* Has before_schedule() called on this pCPU soon. [nmi] */
void port_request_commit(void);
/* The same on another pCPU, also if that is asleep, and was asked before it
 * went to sleep. [soft] */
void port_call_commit(unsigned int pcpu);
/* Start and stop calls of before_schedule().  May be repeated: every tick
 * starts them again, for a resume from S3.  [soft] */
void port_hook_commit(void);
void port_unhook_commit(void);

/* Has tick(pcpu) called once, at time or a little later, on pcpu if that is
 * online; arming again moves the time. [soft] */
void port_timer_arm(unsigned int pcpu, uint64_t time);
/* When this returns, tick(pcpu) has ended and is not called again.  Not to be
 * called in tick(). [command] */
void port_timer_cancel(unsigned int pcpu);

/* Memory ------------------------------------------------------------------ */

/* Returns zeroed memory, or NULL. [command] */
void *port_alloc(unsigned long bytes);
void port_free(void *memory, unsigned long bytes);

/* The same, in memory that is near this pCPU, if there is any; for what that
 * pCPU uses at each sample. [command] */
void *port_alloc_near(unsigned int pcpu, unsigned long bytes);
void port_free_near(void *memory, unsigned long bytes);

/* Returns how many bytes of the host's memory are free. [command] */
uint64_t port_memory_free(void);

enum port_access { PORT_DOM0_READS, PORT_DOM0_WRITES };

#define PORT_ANYWHERE PORT_PCPUS_MAX /* near no pCPU */

/* Returns a cleared page that dom0 may map, near this pCPU or PORT_ANYWHERE, or
 * NULL. [command] */
void *port_page_share(enum port_access access, unsigned int pcpu);
uint64_t port_page_mfn(const void *page);
/* Gives up the page.  Returns true if it is free now, or false if dom0 still
 * maps it: then call port_page_reap() later, until that returns true.
 * [command] */
bool port_page_unshare(void *page);
bool port_page_reap(void *page);

/* dom0 -------------------------------------------------------------------- */

/* Raises the event channel. [soft] */
void port_wake_reader(void);
/* Writes a line to Xen's console; of printf only %s %u %lu %x. [command] */
void port_log(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Waits about this long, at most 1 ms. [command] */
void port_relax(unsigned int microseconds);

/* Memory functions that every port has. [nmi] */
void *memcpy(void *to, const void *from, __SIZE_TYPE__ size);
void *memset(void *to, int byte, __SIZE_TYPE__ size);
int memcmp(const void *a, const void *b, __SIZE_TYPE__ size);

#endif

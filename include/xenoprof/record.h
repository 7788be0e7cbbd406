/* SPDX-License-Identifier: MIT */
/*
 * Records: what a ring holds.
 *
 * Little endian, 8-byte aligned, each with its own length.  A record never
 * crosses the ring's end (a PAD record fills up to it), so that a reader who
 * maps a ring's pages in order sees each record in one piece.
 *
 * A reader must treat every byte as hostile: xenoprof_record_check() in
 * libxenoprof is the one place that does.
 */
#ifndef XENOPROF_RECORD_H
#define XENOPROF_RECORD_H

#include <xenoprof/types.h>

enum xenoprof_record_kind {
#define XENOPROF_KIND(number, NAME, name, text) XENOPROF_RECORD_##NAME = number,
#include <xenoprof/record-kinds.def>
#undef XENOPROF_KIND
};

enum xenoprof_part {
#define XENOPROF_PART(bit, NAME, name, member, structure, tail, stacks, text)  \
    XENOPROF_PART_##NAME = 1u << bit,
#include <xenoprof/record-parts.def>
#undef XENOPROF_PART
    XENOPROF_PARTS_ALL = 0
#define XENOPROF_PART(bit, NAME, name, member, structure, tail, stacks, text)  \
    | 1u << bit
#include <xenoprof/record-parts.def>
#undef XENOPROF_PART
};

enum xenoprof_cause {
#define XENOPROF_CAUSE(number, NAME, name, who, text)                          \
    XENOPROF_LOST_##NAME = number,
#include <xenoprof/lost-causes.def>
#undef XENOPROF_CAUSE
    XENOPROF_CAUSES
};

/* Length of lost[] in shared pages: a new cause moves no field behind it. */
#define XENOPROF_LOST_SLOTS 8u
#ifndef __cplusplus
_Static_assert(XENOPROF_CAUSES <= XENOPROF_LOST_SLOTS,
               "more slots are another layout: raise XENOPROF_ABI_VERSION");
#endif

/* Bit N: Xen counts cause N; the daemon counts the others. */
enum {
    XENOPROF_CAUSES_OF_XEN = 0
#define XENOPROF_COUNTED_BY_XEN    1u
#define XENOPROF_COUNTED_BY_DAEMON 0u
#define XENOPROF_CAUSE(number, NAME, name, who, text)                          \
    | XENOPROF_COUNTED_BY_##who << number
#include <xenoprof/lost-causes.def>
#undef XENOPROF_CAUSE
#undef XENOPROF_COUNTED_BY_XEN
#undef XENOPROF_COUNTED_BY_DAEMON
};

/* Not 0 if Xen counts the cause. */
static inline int xenoprof_cause_is_xens(unsigned int cause)
{
    return XENOPROF_CAUSES_OF_XEN >> cause & 1;
}

/* The sum of what Xen counted in lost[], which has XENOPROF_CAUSES. */
static inline uint64_t xenoprof_lost_in_xen(const uint64_t *lost)
{
    uint64_t sum = 0;

    for ( unsigned int cause = 0; cause < XENOPROF_CAUSES; cause++ )
        if ( xenoprof_cause_is_xens(cause) )
            sum += lost[cause];
    return sum;
}

/* What the interrupted code was. */
enum xenoprof_mode {
    XENOPROF_MODE_XEN = 0,
    XENOPROF_MODE_KERNEL = 1,
    XENOPROF_MODE_USER = 2,
    XENOPROF_MODE_IDLE = 3,
    XENOPROF_MODES
};

/* Bits of a sample's marks, and of each field in them the lowest bit and the
 * number of bits. */
enum xenoprof_mark {
#define XENOPROF_MARK(bit, NAME, name, text) XENOPROF_MARK_##NAME = 1u << bit,
#define XENOPROF_MARK_FIELD(bit, bits, NAME, text)                             \
    XENOPROF_MARK_##NAME##_SHIFT = bit, XENOPROF_MARK_##NAME##_BITS = bits,
#include <xenoprof/marks.def>
#undef XENOPROF_MARK
#undef XENOPROF_MARK_FIELD
};

struct xenoprof_record {
    uint16_t kind;   /* enum xenoprof_record_kind */
    uint16_t parts;  /* of a sample: enum xenoprof_part; else 0 */
    uint32_t length; /* bytes, this header included; a multiple of 8 */
};

struct xenoprof_sample {
    struct xenoprof_record head;
    uint64_t time;  /* Xen's system time, ns */
    uint64_t ip;    /* interrupted instruction; 0: not known */
    uint64_t sp;    /* stack pointer of the interrupted code */
    uint64_t flags; /* rflags of the interrupted code */
    uint16_t domain;
    uint16_t vcpu;
    uint16_t pcpu;
    uint8_t mode;    /* enum xenoprof_mode */
    uint8_t weight;  /* ticks that this sample stands for; at least 1 */
    uint32_t marks;  /* enum xenoprof_mark */
    uint32_t period; /* ns from one tick to the next when it was taken */
};

/* Where the guest was when Xen was interrupted on its behalf. */
struct xenoprof_guest {
    uint64_t ip;
    uint64_t sp;
    uint64_t flags;
    uint16_t cs;
    uint16_t ss;
    uint8_t mode; /* kernel or user */
    uint8_t reserved[3];
};

enum xenoprof_entry_kind {
    XENOPROF_ENTRY_NONE = 0,
#define XENOPROF_ENTRY_KIND(number, NAME, name, text)                          \
    XENOPROF_ENTRY_##NAME = number,
#include <xenoprof/entry-kinds.def>
#undef XENOPROF_ENTRY_KIND
    XENOPROF_ENTRY_KINDS
};

enum xenoprof_entry_flag {
    /* The guest did not ask: an NMI of the profiler's own ended its run, or Xen
     * serves what one has left to do. */
    XENOPROF_ENTRY_PROFILER = 1u << 0,
    /* It was in its process: SYSCALL is a system call, not a hypercall. */
    XENOPROF_ENTRY_USER = 1u << 1,
    /* Its detail was left out, since its guest has had as many as it may: of
     * sessions, not of Xen. */
    XENOPROF_ENTRY_BARE = 1u << 2,
    XENOPROF_ENTRY_FLAGS = 7u
};

/*
 * Why the guest entered Xen, of a sample that interrupted Xen on its behalf.
 * The detail is what tells apart entries of one code, in the same form for both
 * makers of processors; never a register with data of the guest, nor an
 * address.
 *
 *   I/O port              port << 16 | XENOPROF_ENTRY_IN
 *   model specific reg.   its number | XENOPROF_ENTRY_WRITE
 *   nested page fault     why: bits of the processor's, without addresses
 */
struct xenoprof_entry {
    uint64_t detail;
    uint32_t code;
    uint8_t kind;  /* enum xenoprof_entry_kind; not NONE in records */
    uint8_t flags; /* enum xenoprof_entry_flag */
    uint16_t reserved;
};

#define XENOPROF_ENTRY_IN    1ull         /* the guest reads from the port */
#define XENOPROF_ENTRY_WRITE (1ull << 32) /* it writes the register */

/*
 * What the domain's fetch list read in the guest's kernel (fetch.h), while the
 * guest stood still: before it went on after the sample, but for a few samples
 * with mark `moved` of a PV guest.
 */
struct xenoprof_task {
    uint64_t word[6]; /* XENOPROF_FETCH_STORED_MAX bytes */
    uint16_t list;    /* its number, as dom0 gave it; not 0 */
    uint8_t failed;   /* bit N: step N + 1 read nothing; what it stores is 0 */
    uint8_t stored;   /* bytes in word[] that steps have; the others are 0 */
    uint32_t reserved;
};

#define XENOPROF_EVENTS_MAX 32u /* of a session */

/* What was counted, of a sample by events. */
struct xenoprof_event {
    uint64_t count; /* events that this sample stands for, not 0 */
    uint16_t event; /* its number, as dom0 gave it */
    uint16_t flags; /* 0 so far */
    uint32_t reserved;
};

/* The instruction that was counted.  The sample's own ip, sp and registers are
 * those that were interrupted a little later. */
struct xenoprof_precise {
    uint64_t ip;
};

/* General registers in the order of the DWARF numbers, then cr3. */
struct xenoprof_registers {
    uint64_t rax, rdx, rcx, rbx, rsi, rdi, rbp, rsp;
    uint64_t r8, r9, r10, r11, r12, r13, r14, r15;
    uint64_t cr3;
};

/*
 * count addresses follow, leaf first.  Entries after the leaf are return
 * addresses; for code of Xen cut short by an interrupt or exception, ip + 1.
 * So entry - 1 always lies inside the instruction.
 */
struct xenoprof_chain {
    uint32_t count;
    uint32_t reserved;
};

/* length bytes follow, padded with zeroes to a multiple of 8. */
struct xenoprof_window {
    uint64_t address;
    uint32_t length;
    uint32_t reserved;
};

/* Precedes the first record that fits again. */
struct xenoprof_lost {
    struct xenoprof_record head;
    uint64_t time;
    uint64_t count;
    uint32_t cause; /* enum xenoprof_cause */
    uint32_t reserved;
};

/* What a vCPU does, as Xen's public interface numbers it. */
enum xenoprof_runstate {
    XENOPROF_RUNNING = 0,
    XENOPROF_RUNNABLE = 1, /* waits for a pCPU */
    XENOPROF_BLOCKED = 2,  /* has nothing to do */
    XENOPROF_OFFLINE =
        3, /* waits for its device model, is held back by its cap,
                              or is paused */
    XENOPROF_RUNSTATES
};

/* Bits of a wait's reasons: Xen's own of why a vCPU may not run. */
#define XENOPROF_WAIT_DEVICE  0x0004u /* for its device model */
#define XENOPROF_WAIT_CAPPED  0x0100u /* its cap is used up: "parked" */
#define XENOPROF_WAIT_UNKNOWN 0x8000u /* not found on this hypervisor */

/* A vCPU once a second.  Times are ns since it was made, up to now, so a record
 * that is lost costs nothing. */
struct xenoprof_wait {
    struct xenoprof_record head;
    uint64_t time; /* Xen's system time, ns */
    uint16_t domain;
    uint16_t vcpu;
    uint8_t state; /* enum xenoprof_runstate */
    uint8_t reserved;
    uint16_t reasons; /* XENOPROF_WAIT_* */
    uint8_t uuid[16]; /* of the domain */
    uint64_t since;   /* Xen's system time when the state began */
    uint64_t times[XENOPROF_RUNSTATES];
};

/* An event on a pCPU, since the record of both before it. */
struct xenoprof_counted {
    struct xenoprof_record head;
    uint64_t time; /* Xen's system time, ns */
    uint16_t pcpu;
    uint16_t event; /* below XENOPROF_EVENTS_MAX */
    uint32_t reserved;
    uint64_t enabled; /* ns that the pCPU worked, */
    uint64_t running; /* and of these that the event was counted */
};

/* A longer record is an error. */
#define XENOPROF_RECORD_MAX 65536u
#define XENOPROF_CHAIN_MAX  64u

#endif

/* SPDX-License-Identifier: MIT */
/*
 * The door: hypfs /xenoprof, through which dom0 talks to the module.
 *
 *   version   text, read: the module's version
 *   status    text, read: for people; programs read `state`
 *   state     blob, read: struct xenoprof_door_state
 *   command   text, write: one line, see below; refused with an errno, and
 *             the reason is in state.message until the next command
 *
 * Xen's hypfs sometimes answers a read with another node's content (concurrent
 * readers share a path buffer).  So a program reads `state` until size, magic,
 * leaf and both sequences agree, and retries an ENOENT or EINVAL a few times.
 * State changes only by writes, which exclude each other.
 *
 * Commands (WORD KEY=VALUE ...; numbers decimal; at most 8191 characters):
 *
 *   reserve sampler=nmi|timer|pmu frequency=HZ mask=BITS pages=N queue=N
 *           lease=SECONDS budget=PERMILLE [insist=1]
 *           [window=BYTES] [user-window=BYTES] [waiting=1] [fatal=1]
 *                 a session: status, table, index pages and pCPU rings
 *   pcpus set=LIST      only these pCPUs (0-3,7); after reserve, before start
 *   domain id=N vcpus=N uuid=HEX kind=passive|active
 *                 profile this domain too; also while running
 *   event id=N select=HEX count=N [fixed=N | ibs=fetch|op]
 *         [set=N] [insist=1]
 *                 count this, sampler pmu; after reserve, before start
 *   link id=N at=LIST [user=N]
 *                 where its kernel's stacks are linked; also while running
 *   fetch id=N [list=N steps=LIST bases=LIST [isolated=1]]
 *                 what to read in its kernel for each sample (fetch.h), or with
 *                 id= alone nothing any more; also while running
 *   forget id=N         close its rings
 *   release ring=N      the reader is done with a closed ring
 *   start               sample
 *   stop                stop sampling; queued samples still reach their rings
 *   reset               end the session, give everything back
 *
 *   EAGAIN asks for the same line once more: no guest runs on that pCPU
 *   meanwhile.  reserve and domain, and start if pCPUs came online, make at
 *   most a megabyte or so of rings; a domain is profiled from the first time
 *   on.  reset frees 4 MiB or so.  stop, and any command after a session ended
 *   by itself, waits at most 2 ms for samples that are under way, 0.3 s in all.
 *
 *   lease=0: sample also without a reader; budget=0: never slow down.
 *
 *   Windows (mask has their bits): at most so many bytes of stack in a sample
 *   of a guest's kernel (usually 6144), or of a process in an active domain
 *   (8192); at most 16384 and 32768, multiples of 8.  With the bit of
 *   user-window a sample of an active domain's kernel has both.
 *
 *   waiting=1: vCPUs that wait for a pCPU, or poll, are sampled, too (mark
 *   `waiting`), into rings of pCPUs.  They are counted apart.
 *
 *   fatal=1: sample by NMIs also where one that nobody claims stops the host.
 *
 *   at=8,16: the word 8 bytes below the end of a kernel's stack, or else the
 *   word 16 bytes below, is the address of the stack that it was entered from.
 *   Up to four distances; none to forget them.  user=16: the word 16 bytes
 *   below the end of the last of these stacks is the stack pointer of the
 *   process that entered the kernel, if it lies in the user half.
 *
 *   Events have numbers below 32, which their samples carry (part `event`).
 *   select= is the processor's event select register without its bits 20 and
 *   22 (interrupt, enable), or with fixed=N of bits 16 and 17 alone; count=
 *   the events from one sample to the next, or 0: about frequency= samples a
 *   second.  Those of one set= (0 to 7) are counted together, and sets take
 *   turns of 10 ms.  Without insist=1 count= is at least 10000, and 100000 for
 *   what is as common as cycles; with it 1000.  ibs= is a unit of AMD's IBS: it
 *   counts fetches, or cycles, or with select=80000 ops, a multiple of 16.
 *
 *   steps=0:0:8:f,1:2416:8:s: FROM:OFFSET:LENGTH in decimal, f to follow or s
 *   to store.  bases=ffff888012345678,0: for each vCPU its base in hexadecimal,
 *   or 0 if it has none.  A list is checked whole before it is used, and
 *   replaces the one before.  isolated=1: see fetch.h.
 */
#ifndef XENOPROF_DOOR_H
#define XENOPROF_DOOR_H

#include <xenoprof/ring.h>

#define XENOPROF_DOOR_DIR     "xenoprof"
#define XENOPROF_DOOR_COMMAND "command"
#define XENOPROF_DOOR_STATE   "state"
#define XENOPROF_DOOR_STATUS  "status"
#define XENOPROF_DOOR_VERSION "version"

#define XENOPROF_DOOR_MAGIC      0x5850444fu /* "ODPX" in memory */
#define XENOPROF_DOOR_LEAF_STATE 1u
#define XENOPROF_COMMAND_MAX     8192u /* with the terminating zero */
#define XENOPROF_MESSAGE_MAX     160u
#define XENOPROF_FREQUENCY_MAX   5000u
#define XENOPROF_EVENT_SETS      8u /* of XENOPROF_EVENTS_MAX */
#define XENOPROF_EVENT_FIXED_MAX 8u
#define XENOPROF_EVENT_COUNT_MAX 0x7fffffffu
/* The least count of cycles and instructions, of all other events, and of any
 * if that is insisted on. */
#define XENOPROF_EVENT_LEAST_FREQUENT 100000u
#define XENOPROF_EVENT_LEAST          10000u
#define XENOPROF_EVENT_LEAST_INSISTED 1000u

/* A unit of AMD's instruction-based sampling. */
enum xenoprof_ibs {
    XENOPROF_IBS_NONE,
    XENOPROF_IBS_FETCH,
    XENOPROF_IBS_OP,
    XENOPROF_IBS_UNITS
};
#define XENOPROF_IBS_OPS 0x80000ull /* in select=: ops, not cycles */

/* Samples a second of all pCPUs, and with windows of guests' stacks. */
#define XENOPROF_HOST_RATE_MAX     260000u
#define XENOPROF_HOST_RATE_WINDOWS 50000u

/* mask: enum xenoprof_part, as asked for. */
static inline uint32_t xenoprof_host_rate(uint32_t mask)
{
    return mask & (XENOPROF_PART_WINDOW | XENOPROF_PART_WINDOW2)
               ? XENOPROF_HOST_RATE_WINDOWS
               : XENOPROF_HOST_RATE_MAX;
}

/* What the module cannot do on this hypervisor. */
enum xenoprof_lack {
#define XENOPROF_LACK(bit, NAME, text) XENOPROF_LACK_##NAME = 1 << (bit),
#include <xenoprof/lacks.def>
#undef XENOPROF_LACK
};

struct xenoprof_door_state {
    uint32_t magic;
    uint32_t leaf;
    uint64_t sequence;
    uint32_t version;    /* XENOPROF_ABI_VERSION */
    uint32_t size;       /* of this structure */
    uint32_t state;      /* enum xenoprof_state */
    uint32_t sampler;    /* chosen at reserve; 0 before */
    uint64_t status_mfn; /* 0: no session */
    uint32_t nmi_slot;   /* 0 free, 1 ours, 2 somebody else's */
    uint32_t watchdog;   /* 1: Xen's NMI watchdog runs */
    uint32_t pcpus;      /* highest possible pCPU number + 1 */
    uint32_t awaited;    /* pages given back that dom0 still maps */
    uint32_t together;   /* pCPUs scheduled as one that NMIs stall; 1: none */
    uint32_t lacks;      /* enum xenoprof_lack, a set */
    uint64_t time;       /* Xen's system time, ns, as this was read */
    char message[XENOPROF_MESSAGE_MAX]; /* why the last command failed */
    uint64_t sequence_end;              /* equals sequence in an untorn copy */
};

#endif

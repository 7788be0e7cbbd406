/* SPDX-License-Identifier: MIT */
/*
 * What a session has of samples and beside them: libxenoprof writes and reads
 * it in these structures.
 */
#ifndef XENOPROF_SESSION_ITEMS_H
#define XENOPROF_SESSION_ITEMS_H

#include <stdbool.h>
#include <stdint.h>

#include <xenoprof/record.h>

/* Who ran in a guest: a thread as its kernel knows it. */
struct xenoprof_thread {
    uint64_t start;    /* of the thread, as that kernel's clock says; 0: not
                          known */
    uint32_t pid, tid; /* of the process, and its own; tid 0 with another pid:
                          not recorded */
    char comm[16];     /* its name, filled up with zeroes, at least one; empty:
                          nothing is known */
};

/* Instead of the name of a thread of a guest that has had as many as it may. */
#define XENOPROF_THREAD_MANY "[many]"
/* Instead of a name that was not to be read (xenopctl --labels=pid). */
#define XENOPROF_THREAD_UNREAD "[not read]"

/* What samples are of; from EVENT on it is an event that a processor counts. */
enum xenoprof_type_number {
    XENOPROF_TYPE_TIME = 0, /* a running vCPU, at a tick; in ns */
    XENOPROF_TYPE_WAITING,  /* one that waited for a pCPU; in ns */
    XENOPROF_TYPE_EVENT,    /* event 0 */
    XENOPROF_TYPES_MAX = 64
};

/* A sample stands for no more. */
#define XENOPROF_COUNT_MAX ((1ull << 40) - 1)

/* A type of samples.  Texts are at most 63 bytes. */
struct xenoprof_type {
    const char *name;
    const char *unit; /* what a sample stands for some of */
    uint64_t select;  /* of an event: how the processor was asked for it; 0: not
                         known */
    uint64_t period;  /* units from one sample to the next; 0: that changes */
    uint32_t turns;   /* of an event: so many sets of events, of which it is in
                         one, take equal turns; 0 or 1: no turns */
};

/* How many ns an event was to be counted on a pCPU since this was said last,
 * and how many of these it was: events that outnumber counters take turns. */
struct xenoprof_measured {
    uint16_t type, pcpu;
    uint64_t enabled, running;
};

/* Letters of a path of a thread's origin. */
#define XENOPROF_ORIGIN_PATH_MAX 255u

/* Where a thread comes from, as its kernel says. */
struct xenoprof_origin {
    uint16_t domain;
    uint8_t uuid[16]; /* of the domain; writers need not say it */
    struct xenoprof_thread thread;
    const char *exe;    /* path of its program; "": not known, or none */
    const char *cgroup; /* path of its cgroup; "": not known */
};

/* A sample as it is stored, without registers and stack bytes. */
struct xenoprof_stored {
    uint64_t time;
    uint32_t place;
    uint32_t stack; /* 0: it has no callers */
    uint32_t period;
    uint32_t marks;
    uint16_t domain;
    uint16_t vcpu;
    uint16_t pcpu;
    uint8_t mode;
    uint8_t weight;
    struct xenoprof_entry entry; /* of kind NONE: not known */
    struct xenoprof_thread thread;
    uint64_t count; /* units of its type that it stands for.  A writer says it
                       of events alone: of others it is weight * period */
    uint16_t type;
};

/* Processor time that recording took in dom0 since this was said last; ns. */
struct xenoprof_cost {
    uint64_t daemon;
    uint64_t children; /* its processes that read guests' memory */
};

/* Times in a session are multiples of this, in ns. */
#define XENOPROF_WAIT_UNIT 100000ull

/* What a vCPU did in the last span ns, which are the sum of the others. */
struct xenoprof_waited {
    uint16_t domain, vcpu;
    uint8_t uuid[16]; /* of the domain; writers need not say it */
    uint64_t span, running;
    uint64_t runnable; /* waited for a pCPU */
    uint64_t blocked;  /* had nothing to do; writers need not say it */
    uint64_t device;   /* waited for its device model */
    uint64_t paused;
    uint64_t capped; /* could run, but its cap was used up */
};

/* How long waits for a pCPU are told apart: bucket 0 has those of less than
 * 1 us, 1 those of less than 2 us, 2 of less than 4 us; the last has all longer
 * ones. */
#define XENOPROF_LATENCY_BUCKETS 24u
#define XENOPROF_NOBODY          0x7fffu /* the number of Xen's idle domain */

enum xenoprof_latency_why { XENOPROF_WOKEN, XENOPROF_PREEMPTED };

/* How often a vCPU waited for a pCPU, alike in all but how long exactly. */
struct xenoprof_latency {
    uint16_t domain, vcpu;
    uint8_t uuid[16], by_uuid[16]; /* of domains; writers need not say them */
    uint16_t by; /* the domain that had its pCPU, or XENOPROF_NOBODY */
    uint8_t why; /* enum xenoprof_latency_why */
    uint8_t bucket;
    uint64_t count;
    uint64_t sum, longest; /* ns */
};

/* How often a vCPU left its guest for one reason, and how long it was away from
 * the guest each time. */
struct xenoprof_exits {
    uint16_t domain, vcpu;
    uint8_t uuid[16];            /* writers need not say it */
    struct xenoprof_entry entry; /* without detail */
    uint64_t count;
    uint64_t in_xen;            /* ns, of all: the pCPU was Xen's, for it */
    uint64_t away;              /* ns, of all: it was not on a pCPU */
    uint64_t shortest, longest; /* ns, in Xen, of one */
};

/* Samples of time, of one second of Xen's, that came to those that wait for
 * names, and are not in the session meanwhile; less than 0: that left them. */
struct xenoprof_spooled {
    uint16_t domain, vcpu;
    uint8_t uuid[16]; /* writers need not say it */
    uint8_t mode;
    bool anew; /* read: nothing waits any more, and nothing else is said */
    uint64_t second, period; /* ns that each stands for */
    int64_t samples;
};

/* A function, as places have it. */
struct xenoprof_function {
    uint64_t start;
    const char *image, *symbol; /* "": not known */
    uint16_t domain;            /* of Xen's any */
    uint8_t uuid[16];           /* of the domain; writers need not say it */
    uint8_t mode;               /* enum xenoprof_mode */
};

/* Bytes of a function, and of a path, a name or a line of source: what is
 * longer is left out. */
#define XENOPROF_CODE_MAX      65535u
#define XENOPROF_CODE_TEXT_MAX 1024u

enum xenoprof_code_from {
    XENOPROF_CODE_FILE,
    XENOPROF_CODE_CHECKED, /* a file with the build-id that ran */
    XENOPROF_CODE_MEMORY,  /* of the host, while the session's code ran */
    XENOPROF_CODE_FROMS
};

/* A function's code, as it is loaded. */
struct xenoprof_code {
    struct xenoprof_function function;
    const uint8_t *bytes;
    uint32_t size;
    uint8_t from;     /* enum xenoprof_code_from */
    const char *file; /* its path; "": not known */
    uint32_t length;  /* of the bytes, its symbol has so many; 0: all */
};

/* What is known of an instruction. */
struct xenoprof_instruction {
    struct xenoprof_function function;
    uint32_t offset;  /* from its start */
    uint32_t line;    /* of source, up to the next of these; 0: not known */
    const char *path; /* of that */
    const char *name; /* what it leads to, or has the address of; "": its bytes
                         say it */
    uint64_t plus;    /* so far behind that */
};

/* A line of source. */
struct xenoprof_source_line {
    struct xenoprof_function function; /* that has it, or is near it */
    uint32_t line;
    const char *path, *text;
};

#endif

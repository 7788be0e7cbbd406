/* SPDX-License-Identifier: MIT */
/*
 * The pages that Xen shares with dom0, and the loads and stores of them that
 * need an order.
 *
 * Five kinds of order-0 pages, owned by DOMID_XEN:
 *
 *   status page   one; what the profiler is doing, and where the tables are
 *   table pages   frame numbers of ring pages, by ring number (0: no ring)
 *   ring pages    one for each ring: identity, counters, producer index, and
 *                 the frame numbers of its data pages
 *   data pages    the records
 *   index pages   the reader's side: heartbeat and consumer indices
 *
 * All but the index pages are read-only for dom0.  But Xen maps them writable
 * for a PVH dom0, so Xen never reads back a byte of them: they are copies of
 * what Xen keeps privately.  Xen reads an index once for each use, checks it,
 * and uses the value that it checked.
 *
 * Indices are free-running byte counts.  producer - consumer is at most the
 * ring's size; a consumer index that is ahead of the producer, more than a ring
 * behind it, or not a multiple of 8 stops the ring (XENOPROF_RING_STOPPED).
 */
#ifndef XENOPROF_RING_H
#define XENOPROF_RING_H

#include <xenoprof/record.h>

#define XENOPROF_PAGE_SIZE    4096u
#define XENOPROF_STATUS_MAGIC 0x58505354u /* "TSPX" in memory */
#define XENOPROF_RING_MAGIC   0x58505247u /* "GRPX" in memory */
#define XENOPROF_ABI_VERSION  3u

#define XENOPROF_TABLE_ENTRIES 512u /* ring page frames in a table page */
#define XENOPROF_TABLE_PAGES   16u
#define XENOPROF_RINGS_MAX     (XENOPROF_TABLE_ENTRIES * XENOPROF_TABLE_PAGES)

#define XENOPROF_INDEX_SLOTS 512u /* consumer indices in an index page */
#define XENOPROF_INDEX_PAGES XENOPROF_TABLE_PAGES

#define XENOPROF_DATA_PAGES_MIN 1u
#define XENOPROF_DATA_PAGES_MAX 256u /* a power of two, as is every size */

/* Bytes of all rings together, and on a host of so many pCPUs. */
#define XENOPROF_RING_CEILING       (64u << 20)
#define XENOPROF_RING_CEILING_LARGE (256u << 20)
#define XENOPROF_LARGE_HOST         64u
/* Bytes that stay free beside them.  Where no dom0_mem is given, Xen leaves at
 * most 128 MiB free. */
#define XENOPROF_MEMORY_FLOOR (64u << 20)

static inline uint32_t xenoprof_ring_ceiling(uint32_t pcpus)
{
    return pcpus < XENOPROF_LARGE_HOST ? XENOPROF_RING_CEILING
                                       : XENOPROF_RING_CEILING_LARGE;
}

enum xenoprof_ring_kind {
    XENOPROF_RING_PCPU = 1, /* idle vCPU, other domains, switched vCPUs */
    XENOPROF_RING_VCPU = 2
};

enum xenoprof_ring_state {
    XENOPROF_RING_OPEN = 1,
    XENOPROF_RING_CLOSED = 2, /* its domain is gone; drain it */
    XENOPROF_RING_STOPPED = 3 /* the consumer index was impossible */
};

/* What the module is doing; the state names of xenopctl --status. */
enum xenoprof_state {
    XENOPROF_STATE_LOADED = 1,   /* no session */
    XENOPROF_STATE_RESERVED = 2, /* rings are there, nothing samples */
    XENOPROF_STATE_RUNNING = 3,
    XENOPROF_STATE_STOPPED = 4 /* rings may still hold records */
};

enum xenoprof_stop_reason {
    XENOPROF_STOP_NONE = 0,
    XENOPROF_STOP_ASKED = 1,
    XENOPROF_STOP_LEASE = 2,    /* the reader's heartbeat stopped */
    XENOPROF_STOP_NMI_SLOT = 3, /* somebody took the NMI callback */
    XENOPROF_STOP_PMU = 4       /* guests, or Xen's own xenoprof, got the
                                   counters of events */
};

enum xenoprof_sampler {
    XENOPROF_SAMPLER_NMI = 1,
    XENOPROF_SAMPLER_TIMER = 2,
    XENOPROF_SAMPLER_PMU = 3
};

#define XENOPROF_SAMPLERS 4u /* from 0, which none is */

/* Returns the sampler as the door and reports spell it. */
static inline const char *xenoprof_sampler_name(uint32_t sampler)
{
    switch ( sampler )
    {
    case XENOPROF_SAMPLER_TIMER: return "timer";
    case XENOPROF_SAMPLER_PMU: return "pmu";
    default: return "nmi";
    }
}

/* Why the frequency is lower than was asked for, a set; see struct
 * xenoprof_pace. */
enum xenoprof_lowered {
    XENOPROF_LOWERED_BUDGET = 1, /* sampling cost more than its budget */
    XENOPROF_LOWERED_READER = 2  /* the reader lagged: a ring filled up */
};

/* A change of the frequency. */
struct xenoprof_pace {
    uint64_t time;      /* Xen's system time, ns */
    uint32_t frequency; /* Hz for each pCPU, from then on */
    uint32_t lowered;   /* enum xenoprof_lowered */
};
#define XENOPROF_PACES 16u /* that are kept */

/*
 * made = committed + lost, once nothing is queued.
 * due = made + missed, once no NMI is outstanding.
 */
struct xenoprof_counters {
    uint64_t due;       /* ticks that should have made a sample */
    uint64_t missed;    /* ... and did not: unanswered, late, gone idle, or no
                           room on the stack */
    uint64_t idle;      /* of missed: the pCPU had gone idle */
    uint64_t made;      /* samples begun */
    uint64_t committed; /* samples written to a ring */
    uint64_t lost[XENOPROF_LOST_SLOTS]; /* enum xenoprof_cause */
    uint64_t switched; /* of made: vCPU had left before the second half */
    uint64_t moved;    /* of made: guest moved between the halves */
    uint64_t cost;     /* ns spent in our code */
};

struct xenoprof_status_page {
    uint32_t magic;
    uint32_t version;
    uint32_t state;       /* enum xenoprof_state */
    uint32_t stop_reason; /* enum xenoprof_stop_reason */
    uint32_t sampler;     /* enum xenoprof_sampler */
    uint32_t frequency;   /* Hz for each pCPU, as it is now */
    uint32_t asked;       /* Hz for each pCPU, as asked for */
    uint32_t mask;        /* enum xenoprof_part, as asked for */
    uint32_t rings;       /* ring numbers below this may be in use */
    uint32_t changes;     /* goes up when a ring comes, closes or goes */
    uint32_t pcpus;       /* online pCPUs in the session's set */
    uint32_t awaited;     /* pages given back that dom0 still maps */
    uint64_t session;     /* number of this session since load; not 0 */
    uint64_t started;     /* Xen's system time, ns; 0: not yet */
    uint64_t stopped;     /* the same; 0: not yet */
    uint64_t slowed;      /* how often the budget halved the frequency */
    struct xenoprof_counters counters;        /* sum over pCPUs */
    uint64_t table_mfn[XENOPROF_TABLE_PAGES]; /* 0: none */
    uint64_t index_mfn[XENOPROF_INDEX_PAGES]; /* 0: none */
    uint64_t module_text; /* address of the module's own code, and its bytes; */
    uint64_t module_size; /* 0: not known, since Xen's stacks are not walked */
    uint64_t raised;      /* how often the frequency came back up, of slowed */
    uint64_t calibrated;  /* of made: Xen's clock was, between the halves */
    uint64_t stack_room;  /* least bytes that an NMI found free on its stack; 0:
                             none came */
    uint64_t cramped;     /* of missed: that was too little for a sample */
    /* Of a session by events: */
    uint64_t throttled; /* of missed: they came too fast, and a counter was
                           stopped until the next tick */
    uint64_t late;      /* NMIs whose cause had been found before */
    uint64_t counted[XENOPROF_EVENTS_MAX]; /* of each event, whole periods */
    uint64_t waiting_made;   /* samples of vCPUs that waited: in no other sum */
    uint64_t waiting_lost;   /* of those: their ring had no room */
    uint64_t waiting_missed; /* vCPUs that waited and could not be sampled */
    uint64_t imprecise; /* samples by IBS without an address that is exact */
    uint64_t lagged; /* how often a reader that lagged halved the frequency, */
    uint64_t caught_up; /* and how often it came back up from that */
    uint64_t paces; /* changes of the frequency, with the one at the start */
    struct xenoprof_pace pace[XENOPROF_PACES]; /* change N is at N % that */
    uint64_t cost_first; /* of the counters' cost: first halves of samples, */
    uint64_t cost_tick;  /* and ticks; the rest is second halves */
};

struct xenoprof_ring_page {
    uint32_t magic;
    uint32_t version;
    uint32_t ring;       /* its number: place in the tables */
    uint32_t generation; /* another one when the number is used again */
    uint16_t domain;
    uint16_t vcpu;  /* or pCPU */
    uint16_t kind;  /* enum xenoprof_ring_kind */
    uint16_t state; /* enum xenoprof_ring_state */
    uint8_t uuid[16];
    uint32_t data_pages; /* a power of two */
    uint32_t reserved;
    uint64_t producer;
    uint64_t made; /* samples meant for this ring */
    uint64_t committed;
    uint64_t lost[XENOPROF_LOST_SLOTS]; /* enum xenoprof_cause */
    uint64_t data_mfn[XENOPROF_DATA_PAGES_MAX];
};

/*
 * Index page 0, slot 0 is the reader's heartbeat: any change is a sign of
 * life.  Ring N's consumer index is slot (N + 1) % 512 of page (N + 1) / 512.
 */
struct xenoprof_index_page {
    uint64_t slot[XENOPROF_INDEX_SLOTS];
};

/*
 * The four accesses that need an order; each comment says what the other side
 * would see without it.  x86 keeps stores in order and loads in order, so they
 * are compiler barriers; C11 calls them acquire and release.
 */

/* Reader: without it, records could be read before they were complete. */
static inline uint64_t xenoprof_load_producer(const uint64_t *producer)
{
    return __atomic_load_n(producer, __ATOMIC_ACQUIRE);
}

/* Xen: without it, the reader could see an index before the records. */
static inline void xenoprof_store_producer(uint64_t *producer, uint64_t value)
{
    __atomic_store_n(producer, value, __ATOMIC_RELEASE);
}

/* Xen: without it, bytes could be overwritten while they are still read. */
static inline uint64_t xenoprof_load_consumer(const uint64_t *consumer)
{
    return __atomic_load_n(consumer, __ATOMIC_ACQUIRE);
}

/* Reader: without it, Xen could overwrite what is still being read. */
static inline void xenoprof_store_consumer(uint64_t *consumer, uint64_t value)
{
    __atomic_store_n(consumer, value, __ATOMIC_RELEASE);
}

#endif

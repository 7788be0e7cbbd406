/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session in memory, as reports need it.  Samples are not kept: those that
 * are alike in all labels are counted in one cell, so what is held grows with
 * the distinct places and stacks, not with the samples.
 *
 *   load.c    session file -> struct loaded
 *   naming.c  cells get their image and symbol
 *   stacks.c  cells get their call chain, if that is asked for
 *   areas.c   cells in Xen that no symbol covers get their area
 *   account.c cells get their share of the pCPUs' time
 *   select.c  cells that a filter turns down are dropped
 */
#ifndef XENOPROF_REPORT_MODEL_LOADED_H
#define XENOPROF_REPORT_MODEL_LOADED_H

#include "base/names.h"
#include "base/table.h"
#include "base/vector.h"
#include "time-range.h"
#include "timeline.h"
#include "report/kept/kept-code.h"
#include "report/time/sample-log.h"
#include "report/time/slots.h"
#include "report/time/spooled-times.h"
#include "report/types/types.h"
#include "report/waits/exit-times.h"
#include "report/waits/wait-lengths.h"
#include "report/waits/waits.h"

#include <libxenoprof.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define DOMAIN_NUMBER_IDLE 32767u /* Xen's own number for it */
#define DOMAIN_OTHER_NAME  "other"
#define DOMAIN_IDLE_NAME   "idle"
#define DAMAGES_KEPT       8u

/* Indexes into loaded.domains of what is no domain. */
enum { DOMAIN_INDEX_OTHER = 0, DOMAIN_INDEX_IDLE = 1 };

/* A domain as reports tell it apart: a number that was given to another
 * domain later is two of them. */
struct domain_key {
    uint8_t uuid[16];
    uint32_t number;
    uint32_t other; /* 1: all that are not profiled, in one */
};

#define CHAIN_MODES 3u /* chain_modes[] of chain-ends.h */

/* How the chains of a domain in one mode ended. */
struct chain_ends {
    uint64_t samples;
    uint64_t ended[XENOPROF_ENDS];
};

struct loaded_domain {
    struct domain_key key;
    uint32_t name; /* the last one it had */
    uint32_t kind;
    uint64_t since;  /* Xen's time when the session named it first */
    uint32_t kernel; /* what is known of it: kernel-attribute.h; 0: nothing */
    bool pruned;     /* some of its stacks may be (pruned-domains.h) */
    struct chain_ends ends[CHAIN_MODES];
    /* ns that the profiler's programs had there, by samples that say who ran
     * (own-cost.h), and of these opagent. */
    uint64_t own, agent;
};

/* What an address is called; 0 where something is not known. */
struct place_name {
    uint64_t address;
    uint64_t start; /* of the symbol */
    uint32_t image;
    uint32_t symbol;
    uint32_t path, line; /* of the source, if lines are asked for */
};

/* An address in a domain and mode, with what the session calls it. */
struct loaded_place {
    struct {
        uint64_t number; /* the session's */
    } key;
    struct place_name name;
    uint32_t spot; /* number; 0: not asked for since it was named */
    bool thunk;    /* a sample there is its caller's (leaf-thunks.h) */
    uint8_t mode;
};

/* What a kernel's file calls a place that the session has no name for. */
struct kernel_name {
    struct {
        uint32_t domain; /* index into loaded.domains */
        uint32_t place;  /* number */
    } key;
    struct place_name name;
};

/* What stacks are told apart by while a session is read: a function, or a place
 * that has no name, which may get one later.  One of a process gets none later:
 * all of an image without a name are one, which is no function and no place. */
struct spot {
    struct {
        uint64_t start; /* of a function */
        uint32_t image;
        uint32_t symbol;
        uint32_t place; /* number, of what is no function; else 0 */
        uint32_t mode;
    } key;
    uint32_t place; /* number; the first one that it was met at */
};

/* A spot, and the spots from which it was called. */
struct spot_node {
    struct {
        uint32_t parent; /* number; 0: none */
        uint32_t spot;   /* number; 0: nothing is known of it */
    } key;
    uint32_t child; /* table_put_only()'s, of what it called, */
    uint32_t call;  /* ... and of calls of which it is the last node made */
    bool unknown;   /* so it is here, or of a parent */
    bool threads;   /* likewise: it is told apart by thread (spot_of_threads()),
                     once loaded_find_threads() was called */
    uint8_t depth;  /* its parents, modulo 256 */
};

/* What samples ran; of its three chains each stands on the next one. */
struct loaded_call {
    struct {
        uint32_t nodes[XENOPROF_CHAINS]; /* numbers; 0: none */
        uint32_t place;                  /* number; 0: none */
        uint32_t called;                 /* 1: it has callers */
    } key;
};

/* Why guests entered Xen. */
struct loaded_entry {
    struct xenoprof_entry key;
};

/* Who ran in guests. */
struct loaded_thread {
    struct xenoprof_thread key;
};

/* What is said of where a thread comes from; UNIT and what follows are read off
 * its cgroup. */
enum origin_text {
    ORIGIN_EXE,
    ORIGIN_CGROUP,
    ORIGIN_UNIT,
    ORIGIN_CONTAINER,
    ORIGIN_POD,
    ORIGIN_TEXTS
};

/* Where a thread of one domain comes from, as it was said last. */
struct loaded_origin {
    struct {
        struct xenoprof_thread thread;
        uint32_t domain; /* index into loaded.domains */
        uint32_t zero;
    } key;
    uint32_t texts[ORIGIN_TEXTS]; /* in loaded.names; 0: not known, or none */
};

/* Where an address without a symbol lies: in Xen's address space, or in some
 * process. */
enum area { AREA_NONE = 0, AREA_STUB, AREA_LIVEPATCH, AREA_MODULE, AREA_USER };

#define COMMS_MOST                                                             \
    1000u /* names of threads, if nobody asks for these alone:
                            guests choose them */

#define CELL_WHO_BITS 26u

#define CELL_SEVERAL UINT16_MAX     /* vcpu, pcpu that nobody asks for */
#define MODE_UNKNOWN XENOPROF_MODES /* of time without a sample */

/* What samples of a cell are alike in.  A value that a label needs is a member,
 * and comes from whose samples they are in cell_key_of(). */
struct cell_key {
    uint32_t domain; /* index into loaded.domains */
    uint32_t place;  /* number; 0: none */
    uint32_t call;   /* number: index into loaded.calls and 1; 0: none */
    uint16_t vcpu;
    uint16_t pcpu;
    uint8_t mode;
    uint8_t ended; /* enum xenoprof_ended; also of a sample without a stack */
    uint8_t called : 1; /* it has callers */
    uint8_t below : 1;  /* ended is its process's: xenoprof_stored_below() */
    uint8_t zero : 6;
    uint8_t type;    /* enum xenoprof_type_number */
    uint32_t entry;  /* index into loaded.entries + 1; 0: not known */
    uint32_t thread; /* into loaded.threads + 1; 0: not known, or nobody asks,
                        and it is not the profiler's */
    /* Keys are compared as bytes: no gap between members. */
};

/* The key of the cell of somebody's samples, but for what they ran; domain is
 * an index into loaded.domains, entry one into loaded.entries + 1, thread one
 * into loaded.threads + 1. */
static inline struct cell_key cell_key_of(const struct xenoprof_who *who,
                                          uint32_t domain, uint32_t entry,
                                          uint32_t thread)
{
    const struct xenoprof_stored marked = {.marks = who->marks};

    return (struct cell_key){
        .domain = domain,
        .vcpu = who->vcpu,
        .pcpu = who->pcpu,
        .mode = who->mode,
        .ended = (uint8_t)xenoprof_stored_ended(&marked),
        .below = xenoprof_stored_below(&marked),
        .type = (uint8_t)who->type,
        .entry = entry,
        .thread = thread,
    };
}

/* The key of what a pCPU did in a domain at no known place. */
static inline struct cell_key placeless_key(uint32_t domain, uint16_t pcpu,
                                            unsigned int mode)
{
    return (struct cell_key){
        .domain = domain, .vcpu = pcpu, .pcpu = pcpu, .mode = (uint8_t)mode};
}

/* Who ran in a domain, by name. */
struct ran_thread {
    struct {
        uint32_t thread; /* as in struct cell_key; not 0 */
        uint32_t domain; /* index into loaded.domains */
    } key;
    const struct loaded_origin *origin; /* NULL: not known */
    uint32_t comm;                      /* in loaded.names */
    uint32_t pid, tid;                  /* NUMBER_UNKNOWN: not recorded */
};

/* A session may have millions of these: members are in an order that leaves no
 * gaps, and what is the same for many cells stands elsewhere. */
struct cell {
    struct cell_key key;
    uint32_t who : CELL_WHO_BITS; /* of the loader, that counts it; else
                                     anything */
    uint32_t area : 3;            /* enum area */
    uint32_t dropped : 1;         /* a filter turned it down */
    uint32_t of_reason : 1; /* it is of a reason why Xen ran that a filter asks
                               for */
    uint32_t beneath : 1;   /* a filter asks for a beginning that its stack
                               has */
    uint64_t samples;
    uint64_t ticks; /* units of its type that its samples stand for */
    union {
        uint64_t time; /* ns: its samples' share of their owners' time
                          (report/time/slots.h); of another type, units */
        double exact;  /* that of time, until account_time() */
    };
    double square; /* the squares of what each sample has, added up */
    /* Cells need not have what follows while they are counted, */
    uint32_t chain; /* into stacks.chains (stacks.h), once these are built */
    uint32_t entry; /* why the guest had entered Xen, in loaded.names, once
                       name_entries() was called; 0: not known */
    /* nor this before they have their chains. */
    const struct place_name *name; /* name_cells(); NULL: nothing is known */
    const struct ran_thread *ran;  /* name_threads(); NULL: not known */
};

/* Bytes. */
#define CELL_COUNTED offsetof(struct cell, chain)
#define CELL_CHAINED offsetof(struct cell, name)

#define NUMBER_UNKNOWN UINT32_MAX

/* What a cell's place is called. */
static inline const struct place_name *cell_name(const struct cell *cell)
{
    static const struct place_name unknown = {.address = 0};

    return cell->name ? cell->name : &unknown;
}

/* The name of who ran, in loaded.names; 0: not known. */
static inline uint32_t cell_comm(const struct cell *cell)
{
    return cell->ran ? cell->ran->comm : 0;
}

/* Only the domain and where it ran is shown of these: idle, all that is not
 * profiled, and time of which no sample says anything. */
static inline bool cell_placeless(const struct cell *cell)
{
    return cell->key.mode >= XENOPROF_MODE_IDLE ||
           cell->key.domain == DOMAIN_INDEX_OTHER;
}

/* Whether samples of this key have a share of their owner's time. */
static inline bool cell_has_share(const struct cell_key *key)
{
    return key->type == XENOPROF_TYPE_TIME && key->mode != XENOPROF_MODE_IDLE;
}

/* Xen's own account of one pCPU. */
struct loaded_pcpu {
    struct {
        uint64_t number;
    } key;
    uint64_t wall; /* ns between the first and the last look at it */
    uint64_t idle; /* ns of these in the idle vCPU */
};

/* The last counters of one ring. */
struct loaded_ring {
    struct {
        uint32_t ring;
        uint32_t generation;
    } key;
    struct xenoprof_ring_info facts;
    uint64_t read;
    uint64_t lost_daemon;
};

/* Rings that ended before a file began, added up. */
struct loaded_ended {
    uint64_t read, lost_daemon;
    uint64_t lost[XENOPROF_CAUSES];
};

/* What became of samples of vCPUs that waited, which no ring's sums have. */
struct loaded_waiting {
    uint64_t made, read, lost;
};

/* What the session says of itself, at a time. */
struct attribute {
    uint64_t time;
    uint32_t key;
    uint32_t value;
};

/* Up to a time so many samples more were lost for a cause. */
struct lost_then {
    uint64_t time;
    uint64_t lost;
    unsigned int cause;
};

/* ns that recording itself took. */
struct loaded_cost {
    uint64_t module;           /* in Xen */
    uint64_t daemon, children; /* in dom0 */
    uint64_t before;           /* the module's, before what is looked at */
    bool begun;                /* before is known */
    bool reported;             /* the session says what dom0's was */
};

struct loaded {
    struct names names;
    struct table domains; /* struct loaded_domain; [0] is other, [1] is idle */
    struct table places;  /* struct loaded_place */
    struct table spots;   /* struct spot; numbers are indexes and 1 */
    struct table nodes;   /* struct spot_node, as these */
    struct table calls;   /* struct loaded_call, as these */
    struct table cells;   /* struct cell */
    struct table entries; /* struct loaded_entry */
    struct table threads; /* struct loaded_thread */
    struct table origins; /* struct loaded_origin */
    struct table ran;     /* struct ran_thread */
    struct table renamed; /* struct kernel_name */
    struct table pcpus;   /* struct loaded_pcpu */
    struct table rings;   /* struct loaded_ring */
    struct loaded_ended ended;
    struct loaded_waiting waiting;
    struct waits waits;
    struct wait_lengths lengths;
    struct exit_times exits;
    struct {
        VECTOR(struct attribute);
    } attributes;

    struct types types;
    struct slots slots;           /* whose time there is, and what of it samples
                                 have */
    struct spooled_times spooled; /* samples that are not in the session yet */
    uint32_t spooled_calls[XENOPROF_MODES]; /* what these ran: numbers; 0: not
                                               asked for */
    struct timeline timeline; /* of the cells' samples, if wanted */
    struct sample_log log;    /* each of them, if wanted */
    struct {
        VECTOR(struct lost_then);
    } losses;                               /* by time, if the log is wanted,
                                               or the timeline */
    uint64_t losses_noted[XENOPROF_CAUSES]; /* sums of these */
    struct time_rows rows; /* and then what the slots were made of */
    struct kept_code code; /* that the session has, if that is wanted */

    struct loaded_cost cost;
    struct xenoprof_counters counters;
    bool counted; /* the session has counters */
    bool closed;
    bool stacked;      /* the session has call chains */
    bool pruned;       /* some nodes are those of pruned-stacks.h */
    bool open;         /* addresses of processes without names are told apart */
    uint32_t no_image; /* in names: what is said of code of processes for an
                           image that is not known */
    struct clocks clocks;
    uint64_t last;      /* Xen's time of the last item */
    uint64_t read;      /* samples in the session */
    uint64_t expired;   /* samples that the daemon dropped from it */
    uint64_t unsampled; /* ns of work that no sample fell into */
    uint64_t borrowed;  /* ns of work in seconds without a sample of its vCPU */
    uint64_t estimated; /* ns of work that Xen's account does not cover */
    bool accounted;     /* Xen's account of a pCPU is there */
    bool sums_wrong;    /* samples are not what the session says in sums */
    uint64_t position;  /* where the session was read up to */
    uint64_t begin; /* query.since: where accounts begin that are counted, in
                           Xen's time; 0: with the session */
    uint64_t torn;  /* bytes at the end, not a whole block */
    size_t damages; /* places that could not be read, and what they say */
    char *damage[DAMAGES_KEPT];
};

/* loaded_free() in any case. */
void loaded_init(struct loaded *loaded);
void loaded_free(struct loaded *loaded);

/* What samples ran is not looked at again: cells have names and chains. */
void loaded_forget_calls(struct loaded *loaded);

/* Returns why a cell's guest had entered Xen, or NULL. */
static inline const struct xenoprof_entry *loaded_entry(
    const struct loaded *loaded, const struct cell *cell)
{
    const struct loaded_entry *entry = cell->key.entry
                                           ? table_at(&loaded->entries,
                                                      cell->key.entry - 1)
                                           : NULL;

    return entry ? &entry->key : NULL;
}

/* Whether an image says whose code that is. */
static inline bool image_names_owner(const struct loaded *loaded,
                                     uint32_t image)
{
    return image && image != loaded->no_image;
}

/* Whether a spot is all of a process's code that has no name. */
static inline bool spot_is_user(const struct spot *spot)
{
    return spot->key.mode == XENOPROF_MODE_USER && !spot->key.symbol &&
           !spot->key.place;
}

/* ... and has no image: frames are told apart by the thread's name. */
static inline bool spot_of_threads(const struct loaded *loaded,
                                   const struct spot *spot)
{
    return spot_is_user(spot) && !image_names_owner(loaded, spot->key.image);
}

/* Finds whether nodes, or those that called them, are such. */
void loaded_find_threads(struct loaded *loaded);
/* The same of what a cell ran, or of what called that, once these are known. */
bool cell_of_threads(const struct loaded *loaded, const struct cell *cell);

/* The name that tells AREA_USER of a cell apart, in loaded.names; 0: none. */
static inline uint32_t cell_user_comm(const struct loaded *loaded,
                                      const struct cell *cell)
{
    return image_names_owner(loaded, cell_name(cell)->image) ? 0
                                                             : cell_comm(cell);
}

static inline struct loaded_domain *loaded_domain(const struct loaded *loaded,
                                                  uint32_t index)
{
    return table_at(&loaded->domains, index);
}

/* Places have numbers; most come in their order, and stand where these say.
 * Returns the entry, or NULL if there is none. */
void *loaded_numbered(const struct table *table, uint64_t number);
/* Returns the entry, made if there is none. */
void *loaded_put_numbered(struct table *table, uint64_t number);

/* Each returns a number, made if there is none: of the spot of a known place,
 * which is an address if these tell frames apart; of a node; of a call. */
uint32_t loaded_spot(struct loaded *loaded, struct loaded_place *place,
                     bool addresses);
uint32_t loaded_node(struct loaded *loaded, uint32_t parent, uint32_t spot);
/* The same in steps, as table_expect_only() and table_put_only(): the first
 * asks for the parent, that of the others' memory. */
void loaded_expect_parent(const struct loaded *loaded, uint32_t parent);
uint32_t loaded_expect_node(const struct loaded *loaded, uint32_t parent,
                            uint32_t spot);
uint32_t loaded_put_node(struct loaded *loaded, uint32_t parent, uint32_t spot,
                         uint32_t hash);
uint32_t loaded_call(struct loaded *loaded, const struct loaded_call *call);
/* The same in steps. */
void loaded_expect_last(const struct loaded *loaded,
                        const struct loaded_call *call);
uint32_t loaded_expect_call(const struct loaded *loaded,
                            const struct loaded_call *call);
uint32_t loaded_put_call(struct loaded *loaded, const struct loaded_call *call,
                         uint32_t hash);

/* ns from the session's start to a time of Xen's; 0 if that is earlier. */
static inline uint64_t loaded_since(const struct loaded *loaded, uint64_t time)
{
    uint64_t start = loaded->clocks.start;

    return time > start ? time - start : 0;
}

/* Last value of a attribute, or NULL. */
const char *loaded_attribute(const struct loaded *loaded, const char *key);

/* A frame stands in place of the callers that such a chain lacks. */
static inline bool chain_is_truncated(uint8_t ended, uint8_t mode)
{
    return ended != XENOPROF_ENDED_ROOT && ended != XENOPROF_ENDED_MOVED &&
           !xenoprof_ended_below_xen((enum xenoprof_ended)ended, mode);
}

struct time_span;

/* What a session says of its cost, as far as it is in span; all: that is the
 * whole session.  now is the module's sum since the session began. */
void cost_add_module(struct loaded_cost *cost, const struct time_span *span,
                     bool all, uint64_t time, uint64_t now);
void cost_add_dom0(struct loaded_cost *cost, const struct time_span *span,
                   uint64_t time, const struct xenoprof_cost *more);
/* Returns the daemon's time and its processes', which are dom0's, too, as
 * dom0's kernel counted them. */
uint64_t cost_of_dom0(const struct loaded_cost *cost);
/* Returns which part of that was on a pCPU.  The kernel of a PV dom0 also
 * counts to a process what its vCPU waited for one, so what it counts is cut in
 * the proportion in which dom0's vCPUs ran and waited, and is never more than
 * they ran.  If the session does not say how they did, it is left as it is. */
uint64_t cost_on_pcpus(const struct loaded *loaded, uint64_t counted);

/* How many samples have stacks, and how these end. */
struct stack_counts {
    uint64_t samples;   /* of profiled domains, at work */
    uint64_t callers;   /* of these: their stack has more than one function */
    uint64_t truncated; /* of samples: ended before their root */
    uint64_t moved;     /* of samples: lack a guest that had moved */
    uint64_t unknown;   /* of samples of Xen: lack a guest for another cause */
};
struct stack_counts loaded_stacks(const struct loaded *loaded, bool selected);

/* Samples that the session's blocks held and that can no longer be read. */
uint64_t loaded_unreadable(const struct loaded *loaded);
/* Samples lost for one cause. */
uint64_t loaded_lost(const struct loaded *loaded, unsigned int cause);
uint64_t loaded_lost_all(const struct loaded *loaded);
/* All samples that were begun: never less than read, lost and unreadable. */
uint64_t loaded_made(const struct loaded *loaded);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session, from `reserve` to `reset`; there is at most one.
 *
 * Commands make and end it.  First halves, second halves and ticks find it
 * through session_current(), and keep it alive: halves by being present
 * (presence.h), ticks because the timers are cancelled before it is freed.
 */
#ifndef XENOPROF_HYPERVISOR_SESSION_H
#define XENOPROF_HYPERVISOR_SESSION_H

#include <xenoprof/door.h>

#include "domains.h"
#include "pcpu.h"
#include "hypervisor/pace/budget.h"
#include "hypervisor/pace/lag.h"

struct pmu;

struct settings {
    enum xenoprof_sampler sampler;
    bool watchdog;        /* Xen's runs too: ask it about each NMI */
    uint32_t frequency;   /* Hz for each pCPU, as asked for */
    uint32_t mask;        /* enum xenoprof_part */
    uint32_t pages;       /* data pages of each ring */
    uint32_t queue;       /* entries; 0: enough for 50 ms */
    uint32_t lease;       /* seconds; 0: none */
    uint32_t budget;      /* permille of a pCPU's time; 0: none */
    uint32_t window;      /* bytes of a kernel's stack in a sample, */
    uint32_t user_window; /* and of a process's in an active domain, or below
                             its kernel's with XENOPROF_PART_USER_WINDOW */
    bool waiting;         /* vCPUs that wait are sampled, too */
};

/* What upkeep.c knows of the reader and the NMI slot. */
struct upkeep {
    uint32_t busy;      /* a lock that is only tried */
    uint64_t next;      /* port_time() of the next look, */
    uint64_t next_sums; /* and of the next with sums */
    uint64_t heartbeat; /* as last read */
    uint64_t alive;     /* port_time() when it last changed */
    uint64_t slot_gone; /* port_time() since which the slot is not ours */
};

/* See wake.h. */
struct wake {
    uint64_t last;   /* port_time() */
    uint64_t oldest; /* port_time() of the first record since the reader was
                        woken; 0: none */
    uint8_t wanted;
};

/* See quieten.h. */
struct quieten {
    uint64_t since;  /* port_time() when it began; 0: it has not */
    uint64_t called; /* port_time() when pCPUs were last called to commit */
    uint64_t counters_stopped; /* port_time(); 0: not yet */
    bool slot_is_back;         /* or somebody else's */
    bool alone;                /* no other pCPU writes to rings any more */
    uint32_t owner;            /* the pCPU whose ticks do it, + 1 */
};

/* See wait-record.h. */
struct wait_round {
    uint64_t next;  /* port_time() of the next round */
    uint64_t began; /* of this one, or the last */
    uint64_t known; /* what rests since before that was said; 0: nothing was */
    uint32_t rounds;
    uint32_t vcpu; /* where this one goes on */
    uint16_t domain;
    bool under_way;
    bool dropped; /* since a round that said all vCPUs began */
    bool last;    /* the session ends with this one */
};

/* See wait-sample.h. */
struct sample_round {
    uint32_t busy;   /* a lock that is only tried */
    uint32_t vcpu;   /* where this one goes on */
    uint16_t domain; /* the same */
    uint32_t random;
    uint64_t began;  /* port_time() of this one */
    uint64_t length; /* ns from the last one's beginning to this one's */
};

struct session {
    struct settings settings;
    uint64_t number;
    uint32_t pcpus;       /* length of pcpu[] */
    uint32_t ranks;       /* pCPUs that are online and in the set, at start */
    uint32_t frequency;   /* Hz for each pCPU, now */
    uint64_t period;      /* ns, now */
    uint64_t phase_start; /* port_time() that phases are counted from */
    uint64_t millisecond; /* in port_ticks(), */
    uint64_t scale;       /* and their clock_scale() */
    uint64_t unanswered;  /* NMIs written off by stop: missed */
    uint8_t running;      /* ticks do their work */
    uint32_t halted;      /* enum xenoprof_stop_reason: a tick ended it, and the
                             next command does the rest */
    uint8_t *chosen;      /* for each pCPU: it is in the session's set */
    uint8_t apart[PORT_CACHE_LINE];
    uint32_t ticking; /* timers that are armed */
    uint8_t apart_too[PORT_CACHE_LINE];
    struct upkeep upkeep;
    struct budget budget;
    struct lag lag;
    struct wake wake;
    struct wait_round waits;
    uint8_t apart_again[PORT_CACHE_LINE];
    struct sample_round waiting;
    uint8_t apart_more[PORT_CACHE_LINE];
    struct quieten quieten;
    struct directory directory;
    struct domains domains;
    struct pmu *pmu;     /* NULL: not by events */
    struct pcpu *pcpu[]; /* NULL: not online at reserve or start */
};

/* Returns the session, or NULL. [nmi] */
struct session *session_current(void);
/* Shows a session to everybody, or with NULL hides it. [command] */
void session_publish(struct session *session);

/* Returns whether the sampler is one that has NMIs. [nmi] */
static inline bool settings_by_nmi(const struct settings *settings)
{
    return settings->sampler != XENOPROF_SAMPLER_TIMER;
}

/* Returns how many bytes of windows a sample may have, 0 without windows. */
uint32_t settings_windows(const struct settings *settings);

/* Returns what the session keeps for a pCPU, or NULL if the pCPU takes no
 * part. [nmi] */
static inline struct pcpu *session_pcpu(const struct session *session,
                                        unsigned int pcpu)
{
    /* Acquire, with session_add_pcpus(). */
    return pcpu < session->pcpus
               ? __atomic_load_n(&session->pcpu[pcpu], __ATOMIC_ACQUIRE)
               : NULL;
}

/* Returns a pCPU that is online and in the session's set, or NULL. [soft] */
static inline struct pcpu *session_member(const struct session *session,
                                          unsigned int pcpu)
{
    struct pcpu *found = session_pcpu(session, pcpu);

    return found && session->chosen[pcpu] && port_pcpu_online(pcpu) ? found
                                                                    : NULL;
}

/* Returns how many pCPUs are online and in the set. [soft] */
uint32_t session_members(const struct session *session);

/* Returns a session without pCPUs, not yet published, or NULL without memory.
 * [command] */
struct session *session_create(const struct settings *settings,
                               uint64_t number);
/* Gives everything back; nobody can find the session any more. [command] */
void session_destroy(struct session *session);

/* Adds the pCPUs that are online, as many as one command may.  Returns 0, or an
 * enum error: pCPUs without room take no part; ERROR_AGAIN: call again.
 * [command] */
int session_add_pcpus(struct session *session);

/* Returns the ns from one tick to the next, which may change while sampling.
 * Relaxed: no other data goes with it. [nmi] */
static inline uint64_t session_period(const struct session *session)
{
    return __atomic_load_n(&session->period, __ATOMIC_RELAXED);
}

/* Ends the session from a tick: no more samples; a command does the rest.
 * [soft] */
void session_halt(struct session *session, enum xenoprof_stop_reason why);
static inline bool session_running(const struct session *session)
{
    /* Acquire, with session_halt(), lifecycle_start() and stop(). */
    return __atomic_load_n(&session->running, __ATOMIC_ACQUIRE);
}

#endif

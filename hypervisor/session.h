/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A session: one recording, from `reserve` to `reset`.
 *
 * There is one at most.  Commands make and end it; NMI halves, second halves
 * and ticks find it through session_current() and keep it alive by being
 * present (presence.h) or by being a tick (ended by port_timer_cancel()).
 */
#ifndef XENOPROF_HYPERVISOR_SESSION_H
#define XENOPROF_HYPERVISOR_SESSION_H

#include <xenoprof/door.h>

#include "domains.h"
#include "pcpu.h"

struct settings {
    enum xenoprof_sampler sampler;
    bool watchdog;        /* beside us: ask it about each NMI */
    uint32_t frequency;   /* Hz for each pCPU, as asked for */
    uint32_t mask;        /* enum xenoprof_part */
    uint32_t pages;       /* data pages of each ring */
    uint32_t queue;       /* entries; 0: enough for 50 ms */
    uint32_t lease;       /* seconds; 0: none */
    uint32_t budget;      /* permille of a pCPU's time; 0: none */
    uint32_t window;      /* bytes of a kernel's stack in a sample, */
    uint32_t user_window; /* and of a process's in an active domain */
};

/* Who reads, and when somebody last looked; see upkeep.h. */
struct upkeep {
    uint32_t busy;         /* somebody is at it: a lock that is only tried */
    uint64_t next;         /* port_time() */
    uint64_t heartbeat;    /* as last read */
    uint64_t alive;        /* port_time() when it last changed */
    uint64_t budget_since; /* port_time() when the budget was last looked at */
    uint64_t slot_gone;    /* port_time() since when the slot is not ours */
};

/* See wake.h. */
struct wake {
    uint64_t last; /* port_time() */
    uint8_t wanted;
};

struct session {
    struct settings settings;
    uint64_t number;
    uint32_t pcpus;       /* length of pcpu[] */
    uint32_t ranks;       /* pCPUs that are online and in the set, at start */
    uint32_t ticking;     /* timers that are armed */
    uint32_t slowed;      /* how often the frequency was halved */
    uint32_t frequency;   /* Hz for each pCPU, now */
    uint64_t period;      /* ns, now */
    uint64_t epoch;       /* what phases are counted from */
    uint64_t millisecond; /* in port_ticks() */
    uint64_t unanswered;  /* NMIs written off by stop: missed */
    uint8_t running;      /* ticks tick */
    uint32_t halted;      /* enum xenoprof_stop_reason: a tick ended it, the
                             next command finishes the job */
    struct upkeep upkeep;
    struct wake wake;
    struct directory directory;
    struct domains domains;
    uint8_t *chosen;     /* of each pCPU: it is in the set */
    struct pcpu *pcpu[]; /* NULL: not online at reserve or start */
};

/* The session, or NULL. [nmi] */
struct session *session_current(void);
void session_publish(struct session *session);

/* Bytes of windows that a sample may have; 0: none are asked for. */
uint32_t settings_windows(const struct settings *settings);

/* Of a pCPU, or NULL if it takes no part. [nmi] */
struct pcpu *session_pcpu(const struct session *session, unsigned int pcpu);

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

/* A session with what it needs, not yet published, or an enum error in
 * *error; and everything given back, when nobody can find it any more.
 * [command] */
struct session *session_create(const struct settings *settings, uint64_t number,
                               int *error);
void session_destroy(struct session *session);

/* Have pCPUs that came online take part.  0 or an enum error: those that
 * there was no room for take no part. [command] */
int session_add_pcpus(struct session *session);

/* Returns the ns from one tick to the next, which may change while sampling.
 * Relaxed: no other data goes with it. [nmi] */
static inline uint64_t session_period(const struct session *session)
{
    return __atomic_load_n(&session->period, __ATOMIC_RELAXED);
}

/* A tick must end it: why.  Ticks stop; a command does the rest. [soft] */
void session_halt(struct session *session, enum xenoprof_stop_reason why);
bool session_running(const struct session *session);

#endif

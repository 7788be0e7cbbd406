/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --status shows.  It comes from the daemon, or from the session on disk
 * if no daemon runs, and from the module.
 */
#ifndef XENOPROF_OPCONTROL_STATUS_H
#define XENOPROF_OPCONTROL_STATUS_H

#include <limits.h>

#include "base/vector.h"
#include "client.h"
#include "control/chain-counts.h"
#include "control/domain-list.h"
#include "libxenoprof.h"
#include "progress.h"

struct status_ring {
    uint32_t number, generation;
    bool pcpu;
    uint16_t domain;
    uint16_t unit;  /* vCPU or pCPU */
    uint32_t ended; /* a sum of so many that have ended; 0: one ring */
    char name[DOMAIN_NAME_MAX];
    char uuid[UUID_TEXT_SIZE];
    char state[16];
    uint64_t made, read, lost;
};

struct status_event {
    char name[64];
    uint64_t set, count, counted;
};

/* An agent that is asked. */
struct status_agent {
    uint64_t domain;
    char name[DOMAIN_NAME_MAX];
    char state[16], text[160];
    uint64_t events, root, asked, named, unnamed, fileless, unknown, unanswered;
    uint64_t slowest, clock_error, cpu; /* ns */
    uint64_t bytes, dropped, refused, lost;
    uint64_t dear;         /* files that took too much to read */
    char dear_files[2048]; /* these, with a line end between two */
};

struct status {
    const char *state;    /* unloaded, loaded, running, stopping, stopped */
    uint32_t awaited;     /* pages given back that dom0 still maps */
    char covered_by[128]; /* a payload above the module; "": none */

    bool session; /* there is a session, to which the members below belong */
    char name[80], dir[PATH_MAX], by[128], options[1024];
    uint64_t since, until; /* ns since 1970; until 0: still running */
    char sampler[16];
    uint64_t frequency, asked, slowed, raised, lagged, caught_up, pcpus;
    char lowered_by[32]; /* why the frequency was low, the last time; "": never,
                            or not known */
    uint64_t lowered_since, lowered_until; /* ns since 1970; until 0: it is */
    uint64_t stack_room; /* least bytes that an NMI found free; 0: not known */
    uint64_t cramped;    /* ticks missed because it was too little */
    uint64_t imprecise;  /* by IBS: samples without an exact address */
    uint64_t throttled, late; /* by events: overflows that came too fast, NMIs
                                 whose cause was found before */
    struct status_events {
        VECTOR(struct status_event);
    } events;
    uint64_t due, missed, idle, made, read, lost, expired, switched, moved,
        cost;
    uint64_t waiters_made, waiters_read,
        waiters_lost; /* of vCPUs that waited */
    uint64_t lost_by_cause[XENOPROF_CAUSES];
    struct status_rings {
        VECTOR(struct status_ring);
    } rings;
    struct waiting_samples waiting;
    struct chain_counts chains;
    struct status_agents {
        VECTOR(struct status_agent);
    } agents;
    char warning[1400], trouble[512];

    uint64_t daemon_pid;                 /* 0: none runs */
    uint64_t daemon_user, daemon_system; /* ns */
    uint64_t daemon_children;
    uint64_t daemon_resident, daemon_peak; /* bytes: now, and at most */
};

void status_free(struct status *status);

/* Takes the lines of the daemon's answer to `status`. */
void status_from_reply(struct status *status, const struct reply *reply);
/* Reads the session called current in dir; leaves status alone if there is
 * none, or it is damaged. */
void status_from_disk(struct status *status, const char *dir);

#endif

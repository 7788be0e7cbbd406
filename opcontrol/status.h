/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --status shows.  It comes from the daemon, or from the session on disk
 * if no daemon runs, and from the module.
 */
#ifndef XENOPROF_OPCONTROL_STATUS_H
#define XENOPROF_OPCONTROL_STATUS_H

#include "base/vector.h"
#include "client.h"
#include "control/chain-counts.h"
#include "control/status-values.h"

struct status {
    const char *state;    /* unloaded, loaded, running, stopping, stopped */
    uint32_t awaited;     /* pages given back that dom0 still maps */
    char covered_by[128]; /* a payload above the module; "": none */

    bool has_session; /* there is one, to which the members below belong */
    struct status_session session;
    struct status_sampler sampler;
    struct status_counters counters;
    struct status_waiting waiting;
    uint64_t lost_by_cause[XENOPROF_CAUSES];
    struct status_events {
        VECTOR(struct status_event);
    } events;
    struct status_rings {
        VECTOR(struct status_ring);
    } rings;
    struct chain_counts chains;
    struct status_agents {
        VECTOR(struct status_agent);
    } agents;
    char warning[1400], trouble[512];

    struct status_daemon daemon; /* pid 0: none runs */
    struct status_push push;     /* state "": nothing was ever sent */
};

void status_free(struct status *status);

/* Takes the lines of the daemon's answer to `status`. */
void status_from_reply(struct status *status, const struct reply *reply);
/* Reads the session called current in dir; leaves status alone if there is
 * none, or it is damaged. */
void status_from_disk(struct status *status, const char *dir);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How an agent is reached: dom0's by its socket (agent-socket.h), another
 * domain's by a relay (agent-relay.h).
 */
#ifndef XENOPROF_DAEMON_AGENT_AGENT_CALLER_H
#define XENOPROF_DAEMON_AGENT_AGENT_CALLER_H

#include <stdbool.h>
#include <stdint.h>

struct agent_caller {
    /*
     * Begins to call, or goes on.  Returns the descriptor of a socket of
     * packets, which is good until end(); or -1: *why says what is wrong, or is
     * still NULL and it is to be called again.  Does not wait.
     */
    int (*call)(void *self, const char **why);
    /* Hangs up; nothing if nobody was called. */
    void (*end)(void *self);
    /* Returns the ns that processes which carry the call have worked since this
     * was asked last. */
    uint64_t (*cpu)(void *self);
    /* Hangs up, and is gone. */
    void (*close)(void *self);
    void *self;
    const char *nobody; /* why there was no answer to the first message */
    bool other_clock;   /* the agent's is not this machine's */
    bool may_follow_us; /* it has files of a guest that no agent runs in: it may
                           know of nothing but what it is told */
};

#endif

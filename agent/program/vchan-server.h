/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The agent's vchan to domain 0: one client at a time, who may come, go and
 * come back, as <xenoprof/agent.h> says.
 */
#ifndef XENOPROF_AGENT_PROGRAM_VCHAN_SERVER_H
#define XENOPROF_AGENT_PROGRAM_VCHAN_SERVER_H

#include "agent/answers.h"
#include "agent/channel/patience.h"
#include "agent/channel/vchan-messages.h"
#include "base/failure.h"
#include "xen-moves.h"

enum vchan_state {
    VCHAN_FREE, /* it waits for a client */
    VCHAN_TALKING,
    VCHAN_HUNG_UP, /* on a client that has not gone yet */
};

struct vchan_server {
    bool open; /* false: there is none, and all but moves is nothing */
    struct vchan_rings rings;
    struct patience patience;
    enum vchan_state state;
    struct agent_talk talk;
    struct vchan_messages messages;
    /* Who asked over the channel before the guest moved is another machine's
     * dom0, or has lost it. */
    struct xen_moves moves;
};

/* Makes it, by Xen's devices in this folder; that needs root, and all else does
 * not.  It ends with the process.  Returns 0, or STATUS_FAILED with a sentence;
 * then there is none. */
int vchan_server_open(struct vchan_server *server, const char *devices,
                      struct failure *failure);
/* Answers one message, if there is one; reply has room for one.  Returns
 * whether there may be more already. */
bool vchan_server_turn(struct vchan_server *server,
                       const struct agent_facts *facts, void *reply);
/* Milliseconds until the next turn, if it may wait. */
int vchan_server_patience(struct vchan_server *server);

#endif

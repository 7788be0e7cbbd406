/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's socket and vchan, and those who ask there. */
#ifndef XENOPROF_AGENT_PROGRAM_AGENT_SERVER_H
#define XENOPROF_AGENT_PROGRAM_AGENT_SERVER_H

#include <sys/types.h>

#include "agent/answers.h"
#include "base/failure.h"
#include "cage/keeper.h"
#include "vchan-server.h"

#define ASKERS_MAX 8u

struct asker {
    int fd; /* -1: free */
    struct agent_talk talk;
};

struct agent_server {
    int listener;
    int epoll;
    int notify; /* systemd, which ends an agent that says nothing; -1: nobody */
    const struct keeper *keeper; /* what makes processes; NULL: nobody */
    uid_t user;                  /* who may ask beside root */
    struct asker askers[ASKERS_MAX];
    uint64_t message[AGENT_MESSAGE_MAX / 8], reply[AGENT_MESSAGE_MAX / 8];
};

/* Makes the socket, for that user; another agent's that has ended is replaced,
 * and nothing else.  Returns 0, or a status with a sentence. */
int agent_server_open(struct agent_server *server, const char *path, uid_t user,
                      struct failure *failure);
/* Answers whoever asks, over a vchan too if there is one.  Returns 0 when one
 * of the signals has come that signals is a descriptor of, or STATUS_FAILED
 * with a sentence when it has to be started again. */
int agent_server_run(struct agent_server *server, struct vchan_server *vchan,
                     const struct agent_facts *facts, int signals,
                     struct failure *failure);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The agent's half of the conversation: a message in, its answer out. */
#ifndef XENOPROF_AGENT_ANSWERS_H
#define XENOPROF_AGENT_ANSWERS_H

#include <xenoprof/agent.h>

#include "file-names.h"
#include "jit-names.h"
#include "online-cpus.h"
#include "perf-events.h"
#include "space-sweep.h"

/* What the answers are made of. */
struct agent_facts {
    struct space_history *history;
    struct perf_events *events; /* NULL: processes are looked at when they are
                                   asked for, */
    struct online_cpus *cpus;   /* NULL: nobody looks at them */
    struct space_sweep *sweep;  /* NULL: what is missed stays so */
    bool follows_clients;       /* or are those that clients have told of */
    struct file_names *files;
    struct jit_names *jits; /* NULL: what processes compiled has no names */
};

/* One client; all zeroes: it has said nothing. */
struct agent_talk {
    uint16_t version; /* that both speak; 0: none yet */
};

/* Puts the answer to a message of that size into reply, which has room for
 * AGENT_MESSAGE_MAX bytes at a multiple of 8.  Returns its size.  *over: the
 * conversation ends with it. */
size_t answer_message(const struct agent_facts *facts, struct agent_talk *talk,
                      const void *message, size_t size, void *reply,
                      bool *over);

/* Reads what has happened since; forgets what ended long ago. */
void agent_facts_read(const struct agent_facts *facts);

#endif

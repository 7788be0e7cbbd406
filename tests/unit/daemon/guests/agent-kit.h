/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An agent at a socket of its own, in a process of its own, which answers as it
 * is told to. */
#ifndef XENOPROF_TESTS_UNIT_DAEMON_GUESTS_AGENT_KIT_H
#define XENOPROF_TESTS_UNIT_DAEMON_GUESTS_AGENT_KIT_H

#include <stddef.h>
#include <sys/types.h>
#include <xenoprof/agent.h>

/* How it behaves. */
enum agent_manner {
    MANNER_GOOD, /* an odd process is at 0x108 of /bin/first, in "first", which
                     begins at 0x100; others so in /bin/second */
    MANNER_DEAF, /* it takes calls and says nothing */
    MANNER_MUTE, /* it greets, and says nothing more */
    MANNER_ENDS, /* it greets, and ends at the first question */
    MANNER_LIES, /* it sends what no agent sends, another thing each time */
    MANNER_OLD,  /* it refuses */
    MANNER_FIRST_VERSION, /* as GOOD, but of version 1 */
    /* All processes have code from KIT_CODE on, and in it the functions "leaf",
       "middle" and "main", 0x100 bytes each, from 0x100 on. */
    MANNER_STACKS,
    MANNER_GROWS, /* the same, but only when it is asked for the second time */
    MANNER_NO_ROWS,   /* the same, without rows */
    MANNER_BAD_ROWS,  /* the same, with what are no rows */
    MANNER_MUTE_ROWS, /* the same, but it ends when it is asked for rows */
    MANNER_GONE_ROWS, /* the same, but process 1 has ended by then */
    MANNER_FILES,     /* the same, but each process has a file of its own */
    MANNER_MANY,      /* the same, in as many pieces as there may be */
    /* As STACKS, and at each address of "middle" the functions "inner" and, in
       which that is, "outer" were inlined: */
    MANNER_INLINES,       /* "middle" has lines 11 and 22 of /src/prog.c, and
                             "leaf" 33 */
    MANNER_NO_LINES,      /* the same, but of a version that has no lines */
    MANNER_SLOW_INLINES,  /* the same, but it says twice that it takes longer */
    MANNER_NEVER_INLINES, /* it says so for ever */
    MANNER_ENDS_INLINES,  /* it ends when it is asked for them */
    MANNER_LIES_INLINES,  /* it sends what no agent sends */
    MANNER_DEEP_INLINES,  /* there are as many as may be, of the longest names,
                             everywhere */
    /* It knows of processes that it is told of; all of the first piece of code
       of one is in the function "told_N" of its file: N times it was told. */
    MANNER_TOLD,
    MANNER_LATE_HELLO, /* the first time */
};

#define KIT_CODE 0x400000u
/* ns that its clock is ahead of this machine's. */
#define KIT_CLOCK_LEAD 5000000000000ull

struct agent_kit {
    char folder[64], path[96];
    pid_t agent;
};

/* XENOPROF_AGENT in the environment is its socket. */
void agent_kit_begin(struct agent_kit *kit, enum agent_manner manner);
/* Another one at the same socket. */
void agent_kit_restart(struct agent_kit *kit, enum agent_manner manner);
void agent_kit_end(struct agent_kit *kit);

/* Changes an answer, whose body has so many bytes and AGENT_BODY_MAX of room,
 * before it is sent.  Returns how many it has now: the head says that. */
#define AGENT_BODY_MAX (AGENT_MESSAGE_MAX - sizeof(struct agent_head))
typedef size_t (*agent_kit_change)(struct agent_head *head, void *body,
                                   size_t size);
/* Agents that begin from now on do that; NULL: they change nothing. */
void agent_kit_change_answers(agent_kit_change change);

/* Returns all bytes that agents were sent since agent_kit_begin(). */
const char *agent_kit_heard(size_t *size);

/* For agent-kit*.c: takes what KNOW says; returns the path of what the question
 * is about, or NULL; and how often it was told something. */
void agent_kit_tell(const uint64_t *message);
const char *agent_kit_path(const struct agent_question *question);
uint32_t agent_kit_tellings(void);

#endif

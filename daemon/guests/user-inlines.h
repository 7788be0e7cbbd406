/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions that compilers inlined, at addresses that have a name: what the
 * agent says of them.  A sample waits for that as it does for names, and not
 * for long.
 */
#ifndef XENOPROF_DAEMON_GUESTS_USER_INLINES_H
#define XENOPROF_DAEMON_GUESTS_USER_INLINES_H

#include "base/vector.h"
#include "daemon/agent/agent-link.h"

/* Addresses at a time; then no more names are asked for. */
#define USER_INLINES_MAX 256u

/* An address that has a name. */
struct user_inline {
    struct agent_question question;
    uint32_t id;      /* in the table of what was asked */
    uint32_t tries;   /* how often the agent said that it takes longer */
    uint64_t since;   /* our clock */
    uint64_t address; /* as the file counts */
    char image[AGENT_TEXT_MAX];
};

struct user_inlines {
    VECTOR(struct user_inline);
    uint32_t away; /* the first so many were asked for */
    bool turn;     /* others may ask first */
};

/* An empty one is left. */
void user_inlines_free(struct user_inlines *inlines);

/* Returns true if no more addresses can be taken. */
bool user_inlines_are_full(const struct user_inlines *inlines);
/* Asks for what was inlined there, later; image is "" or that of a file.
 * Returns false if there is no memory. */
bool user_inlines_add(struct user_inlines *inlines,
                      const struct user_inline *wanted);
/* Asks now, if it is free, unless it is the turn of others. */
void user_inlines_ask(struct user_inlines *inlines, struct agent_link *link);

/* A line of source; none has the path "" and the number 0. */
struct user_line {
    const char *path;
    uint32_t line;
};

/* One answer. */
struct user_inlined {
    struct user_inline of;
    bool known; /* the agent has said it */
    uint32_t count;
    const char *names[AGENT_LEVELS_MAX]; /* innermost first; not empty */
    /* Of the address, and of each call: one more than names. */
    struct user_line lines[AGENT_LEVELS_MAX + 1];
};

/* Takes the next answer; nothing is one, too, if the agent does not say within
 * a while, or is gone.  Texts are good until the next call for this agent.
 * Returns false if there is none now. */
bool user_inlines_next(struct user_inlines *inlines, struct agent_link *link,
                       struct user_inlined *ret);

#endif

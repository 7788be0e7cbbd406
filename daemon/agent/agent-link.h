/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conversation with an agent (<xenoprof/agent.h>), of which nothing is
 * believed before it was checked.  Nobody waits for it: whatever the agent
 * does or fails to do, each question is answered after a while, if only with
 * nothing.
 */
#ifndef XENOPROF_DAEMON_AGENT_AGENT_LINK_H
#define XENOPROF_DAEMON_AGENT_AGENT_LINK_H

#include "agent-caller.h"
#include "agent-checks.h"
#include "agent-known.h"

/* ns in which an agent that is called says that it is there. */
#define AGENT_PATIENCE_CALL 3000000000ull
/* ns that it has for an answer: it may have to read a large file, on a busy
 * processor or with the little of it that its unit allows. */
#define AGENT_PATIENCE 10000000000ull
/* ns after which an agent that has much to read is asked again, and so many
 * times what its last answer took: to ask again costs it, too.  How many
 * questions may wait so at a time: meanwhile others are asked. */
#define AGENT_LATER_PAUSE 50000000ull
#define AGENT_LATER_PART  4u
#define AGENT_LATER_MAX   192u
/* ns in which nothing comes of that, after which there is no answer. */
#define AGENT_LATER_PATIENCE 60000000000ull
/* It is called again after a second at first, later after as long as this. */
#define AGENT_PAUSE_MAX 30000000000ull
/* ns after which another machine's clock is looked at again. */
#define AGENT_CLOCK_AGE 60000000000ull
/* ns of error with which a look is done again at once, a few times: whoever has
 * just talked is quicker (agent/channel/patience.h). */
#define AGENT_CLOCK_ERROR 5000000ull
#define AGENT_CLOCK_TRIES 4u
/* Answers that break the rules, after which it is not called any more. */
#define AGENT_LIES_MAX 3u

enum agent_state {
    AGENT_ABSENT, /* it does not answer; it is called again */
    AGENT_COMING, /* it was called */
    AGENT_PRESENT,
    AGENT_BANNED,
};

/* One answer; texts are good until the next call for this agent. */
struct agent_name_reply {
    uint32_t id;            /* that the question was asked with */
    enum agent_found found; /* AGENT_FOUNDS: there was no answer */
    uint64_t address, start;
    const char *path, *symbol; /* "" if there is none; printable */
};

/* Files that are remembered by their path. */
#define AGENT_DEAR_MAX 8u

struct agent_figures {
    uint64_t asked;
    uint64_t found[AGENT_FOUNDS + 1]; /* answers, and questions without one */
    uint32_t dear_count;              /* files that took too much to read: */
    char dear[AGENT_DEAR_MAX][AGENT_TEXT_MAX];
    uint64_t slowest;       /* ns that a message took */
    struct agent_work work; /* as the agent says */
    bool events;            /* the same: it follows these */
    bool follows_us;        /* it knows of processes that we tell it of */
};

struct agent_link;

/* When the agent's clock said theirs, our monotonic one said ours, give or take
 * error. */
struct agent_clock {
    uint32_t number; /* of the look at it; 0: there was none */
    uint32_t tries;  /* that it took up to now */
    uint64_t theirs, ours, error;
};

/* For the agent that this caller reaches, which is the link's from now on; it
 * was caught at so many lies before.  Returns NULL if there is no memory: then
 * it is not. */
struct agent_link *agent_link_open(const struct agent_caller *caller,
                                   uint32_t lies);
/* Takes NULL. */
void agent_link_close(struct agent_link *link);

/* Calls, sends and takes what there is to take, without waiting. */
void agent_link_work(struct agent_link *link);
/* Returns its descriptor, or -1: an answer wakes who waits for it. */
int agent_link_fd(const struct agent_link *link);

enum agent_state agent_link_state(const struct agent_link *link);
/* Returns what is wrong, "" if nothing is. */
const char *agent_link_trouble(const struct agent_link *link);
const struct agent_figures *agent_link_figures(const struct agent_link *link);

/* Returns true if a question would be taken now. */
bool agent_link_can_ask(const struct agent_link *link);
/* Returns true if answers are to come, or to be taken. */
bool agent_link_is_away(const struct agent_link *link);
/* Returns false if it cannot be asked now. */
bool agent_link_ask(struct agent_link *link,
                    const struct agent_question *question, uint32_t id);
/* Takes the next answer.  Returns false if there is none now. */
bool agent_link_next(struct agent_link *link, struct agent_name_reply *ret);

/* Returns the last look at the agent's clock, or NULL if it is this machine's
 * own. */
const struct agent_clock *agent_link_clock(const struct agent_link *link);
/* Returns the ns that the way to the agent has cost since the last call. */
uint64_t agent_link_cpu(struct agent_link *link);
/* Returns at how many lies it was caught. */
uint32_t agent_link_lies(const struct agent_link *link);

/* Returns how often it has greeted: what it numbers is numbered from one
 * greeting to the next. */
uint32_t agent_link_conversation(const struct agent_link *link);
/* Returns true if it knows of mappings and rows. */
bool agent_link_has_rows(const struct agent_link *link);
/* Returns true if it knows of inlined functions. */
bool agent_link_has_inlines(const struct agent_link *link);
/* Ask what a process has mapped, for a piece of a table, and what was inlined
 * at up to AGENT_INLINES_MAX addresses.  Return false if that cannot be asked
 * now; then there is no answer to come. */
bool agent_link_ask_space(struct agent_link *link,
                          const struct agent_question *question);
bool agent_link_ask_rows(struct agent_link *link,
                         const struct agent_rows_question *question);
bool agent_link_ask_inlines(struct agent_link *link,
                            const struct agent_question *questions,
                            uint32_t count);
/* Returns true if it works in dom0 for another domain: it is one of a guest
 * root. */
bool agent_link_is_root(const struct agent_link *link);
/* Returns true if such an agent knows of no process that it was not told of. */
bool agent_link_wants_known(const struct agent_link *link);
/*
 * Tells such an agent what a process has mapped from that time on, by the
 * agent's clock, in place of what it was told of that and later times.  What
 * is asked after this is answered by it, until agent_link_conversation() is
 * another one: then all is to be told again.  What is no mapping, has a path of
 * another form or finds no room in the message is left out.  Returns false if
 * it cannot be told now, as questions cannot be asked.
 */
bool agent_link_know(struct agent_link *link, uint32_t tgid, uint64_t since,
                     const struct agent_file_mapping *mappings, size_t count);
/* Returns the answer to any of the questions above, which is good until
 * agent_link_take_reply(); or NULL if there is none now. */
const struct agent_reply *agent_link_reply(const struct agent_link *link);
void agent_link_take_reply(struct agent_link *link);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an agent's mappings and tables must be before they are believed. */
#ifndef XENOPROF_DAEMON_AGENT_AGENT_CHECKS_H
#define XENOPROF_DAEMON_AGENT_AGENT_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <xenoprof/agent.h>

/* An answer to a question of version 2 or 3 about a space, rows, or what was
 * inlined.  Pointers go into the message. */
struct agent_reply {
    enum agent_kind kind; /* of the question: AGENT_SPACE, AGENT_ROWS,
                             AGENT_INLINES */
    bool nothing;         /* there was no answer */
    bool later;           /* all of it, or a part, is to be asked for again */
    uint32_t count;       /* of mappings, or of what was inlined */
    const struct agent_mapping *mappings;
    const void *inlined; /* as many as were asked for, which the next reads */
    size_t inlined_size; /* of each */
    const char *texts;
    struct agent_table table;
    const void *piece; /* of the table */
    size_t size;       /* of the piece */
};

/* Returns whether a text begins there, ends before end, and is printable and
 * not too long. */
bool agent_check_text(const char *texts, uint32_t at, const char *end);

/* Each returns whether a message of the length that its head says is an answer;
 * offset is the question's, and so is count. */
bool agent_check_mapped(const void *message, const struct agent_head *head,
                        struct agent_reply *ret);
bool agent_check_table(const void *message, const struct agent_head *head,
                       uint64_t offset, struct agent_reply *ret);
bool agent_check_inlined(const void *message, const struct agent_head *head,
                         uint32_t count, struct agent_reply *ret);

/* Returns what was said of one of the questions: without lines if the agent
 * knows of none. */
struct agent_inlined agent_reply_inlined(const struct agent_reply *reply,
                                         uint32_t index);

#endif

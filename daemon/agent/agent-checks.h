/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an agent's mappings and tables must be before they are believed. */
#ifndef XENOPROF_DAEMON_AGENT_AGENT_CHECKS_H
#define XENOPROF_DAEMON_AGENT_AGENT_CHECKS_H

#include <stdbool.h>
#include <stddef.h>
#include <xenoprof/agent.h>

/* An answer to a question of version 2 about a space or rows.  Pointers go into
 * the message. */
struct agent_told {
    enum agent_kind kind; /* of the question: AGENT_SPACE, AGENT_ROWS */
    bool nothing;         /* there was no answer */
    uint32_t count;       /* of mappings */
    const struct agent_mapping *mappings;
    struct agent_table table;
    const void *piece; /* of the table */
    size_t size;       /* of the piece */
};

/* Each returns whether a message of the length that its head says is an answer;
 * offset is the question's. */
bool agent_check_mapped(const void *message, const struct agent_head *head,
                        struct agent_told *ret);
bool agent_check_table(const void *message, const struct agent_head *head,
                       uint64_t offset, struct agent_told *ret);

#endif

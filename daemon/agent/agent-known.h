/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an agent of a guest root is told of a process (KNOW), as it is sent. */
#ifndef XENOPROF_DAEMON_AGENT_AGENT_KNOWN_H
#define XENOPROF_DAEMON_AGENT_AGENT_KNOWN_H

#include <stddef.h>
#include <xenoprof/agent.h>

/* A piece of code that a process has mapped: of the file at this path, which is
 * absolute as the process sees it; "" if it is no file. */
struct agent_file_mapping {
    uint64_t start, end;
    uint64_t offset; /* in the file */
    const char *path;
};

/*
 * Puts what follows the head into body, which has room for the longest message
 * less its head; *told is how many mappings that are.  They may be a guest's
 * words: what is none, has a path of another form or finds no room is left out.
 * Returns its size.
 */
size_t agent_known_put(uint32_t tgid, uint64_t since,
                       const struct agent_file_mapping *mappings, size_t count,
                       uint64_t *body, uint32_t *sent);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pipes to a parser.  A wait for it is limited twice: by the parser's CPU
 * clock, which counts its work alone, and by the monotonic clock, which also
 * runs while other programs keep the parser from running.
 */
#ifndef XENOPROF_DAEMON_PARSER_PARSER_PIPE_H
#define XENOPROF_DAEMON_PARSER_PARSER_PIPE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "parser-maker.h"

struct parser_pipe {
    int requests, answers;
    clockid_t clock; /* the parser's work */

    /* What the current wait may take.  Clocks are looked at only when an
     * answer does not come at once: that is a system call each. */
    uint64_t work, wait; /* ns */
    uint64_t work_until, wait_until;
    bool limited;
    unsigned int pieces; /* of messages */

    uint8_t buffer[4096]; /* what was read and not taken yet */
    size_t taken, filled;
};

/* The descriptors stay the caller's.  Returns false if the parser is gone. */
bool parser_pipe_open(struct parser_pipe *pipe,
                      const struct parser_process *process);

/* Limits what follows: to so many ns of the parser's clock and of ours
 * (begin), or until the clocks reach these times (set_limits). */
void parser_pipe_begin(struct parser_pipe *pipe, uint64_t work, uint64_t wait);
void parser_pipe_set_limits(struct parser_pipe *pipe, uint64_t work_until,
                            uint64_t wait_until);
/* The limits of begin() count from now on, not from the first wait. */
void parser_pipe_start_clocks(struct parser_pipe *pipe);
bool parser_pipe_is_late(const struct parser_pipe *pipe);

/* For struct wire.  Return true after all of size bytes. */
bool parser_pipe_read(void *self, void *to, size_t size);
bool parser_pipe_write(void *self, const void *from, size_t size);

/* Returns true if bytes arrive within so long. */
bool parser_pipe_has_answer(const struct parser_pipe *pipe, int milliseconds);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who makes parsers, one at a time: the keeper, or a test.
 */
#ifndef XENOPROF_DAEMON_PARSER_PARSER_MAKER_H
#define XENOPROF_DAEMON_PARSER_PARSER_MAKER_H

#include <stdbool.h>
#include <sys/types.h>

struct parser_process {
    int requests; /* to write to, never blocks */
    int answers;  /* to read from */
    pid_t pid;    /* whose work is counted */
};

struct parser_maker {
    /* A new parser, whose descriptors are the caller's; the one before it is
     * ended.  False: there is none. */
    bool (*make)(void *self, struct parser_process *ret);
    /* End the parser, if there is one; it may be dead already. */
    void (*end)(void *self);
    void *self;
};

#endif

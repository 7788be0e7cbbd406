/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What makes parsers, one at a time: the keeper, or a test.
 */
#ifndef XENOPROF_DAEMON_PARSER_PARSER_MAKER_H
#define XENOPROF_DAEMON_PARSER_PARSER_MAKER_H

#include <stdbool.h>
#include <sys/types.h>

struct parser_process {
    int requests; /* to write to, never blocks */
    int answers;  /* to read from */
    pid_t pid;    /* of the process, whose CPU time is limited */
};

struct parser_maker {
    /* Makes a parser; the caller owns its descriptors.  The parser before it
     * is killed.  Returns false if no parser could be made. */
    bool (*make)(void *self, struct parser_process *ret);
    /* Kills the parser, if there is one; it may be dead already. */
    void (*end)(void *self);
    void *self;
};

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that can read one pipe, write another, compute, and end.
 */
#ifndef XENOPROF_DAEMON_PARSER_PARSER_SANDBOX_H
#define XENOPROF_DAEMON_PARSER_PARSER_SANDBOX_H

/* Where the two pipes are inside. */
#define SANDBOX_IN  0
#define SANDBOX_OUT 1

/* Bytes of memory that it may take on top of what it has when it enters. */
#define SANDBOX_MEMORY (512ul << 20)

/*
 * From now on: no descriptor but in and out (as SANDBOX_IN and SANDBOX_OUT),
 * no privileges, no core dump, not to be traced by its own user, ends with
 * its parent; a system call but read, write, exit and for anonymous memory
 * kills it.  0, or a negative errno: then it must end.
 */
int sandbox_enter(int in, int out);

/* The part of it that is the filter; 0 or a negative errno. */
int sandbox_filter(void);

#endif

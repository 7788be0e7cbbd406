/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process in which all bytes that guests wrote are parsed: kernels found
 * in their memory, stacks, names.  Requests in, answers out (parser-wire.h),
 * and nothing else.
 */
#ifndef XENOPROF_DAEMON_PARSER_PARSER_H
#define XENOPROF_DAEMON_PARSER_PARSER_H

#include "parser-wire.h"

/* Answer until the other side is gone or says nonsense. */
void parser_serve(const struct wire *wire);

/* As a process of its own that was just forked: into the sandbox, then
 * answer.  When it returns, the process must end, by exit_group(2). */
void parser_run(int requests, int answers);

#endif

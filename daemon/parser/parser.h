/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that parses all bytes that guests wrote: kernels in their memory,
 * stacks, names.  It reads requests and writes answers (parser-wire.h), and can
 * do nothing else.
 */
#ifndef XENOPROF_DAEMON_PARSER_PARSER_H
#define XENOPROF_DAEMON_PARSER_PARSER_H

#include "parser-wire.h"

/* Answers until the other side is gone or sends nonsense. */
void parser_serve(const struct wire *wire);

/* For a process that was just forked: enters the sandbox, then answers.  When
 * this returns, the process must end, by exit_group(2). */
void parser_run(int requests, int answers);

#endif

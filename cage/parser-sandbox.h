/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that can read one descriptor, write another, compute, and end.
 */
#ifndef XENOPROF_CAGE_PARSER_SANDBOX_H
#define XENOPROF_CAGE_PARSER_SANDBOX_H

#include <stddef.h>

#include "filter.h"

/*
 * Shuts this process in: it keeps only in and out (as SANDBOX_IN and
 * SANDBOX_OUT; they may be one), takes at most that many bytes of memory more,
 * has no privileges, dumps no core, cannot be traced by its own user, and ends
 * with its parent.  A system call other than read, write, exit or one for
 * anonymous memory kills it.  Returns 0, or a negative errno, after which the
 * process must end.
 */
int sandbox_enter(int in, int out, size_t memory);

/* The same for one that is sent files over its socket, to be read: it may have
 * so many descriptors, and do with them what reading takes. */
#define SANDBOX_FILES_MAX 16
int sandbox_enter_for_files(int socket, size_t memory);

#endif

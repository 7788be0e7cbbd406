/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The signals that end a program which serves others.
 */
#ifndef XENOPROF_BASE_END_SIGNALS_H
#define XENOPROF_BASE_END_SIGNALS_H

/* Returns a descriptor that can be read when SIGTERM or SIGINT came, which are
 * blocked from then on; or -1 with errno.  SIGPIPE is ignored: a client that
 * goes ends nobody. */
int end_signals_open(void);

#endif

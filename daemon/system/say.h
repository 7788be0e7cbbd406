/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Messages of a daemon: to stderr in the foreground, else to the system log.
 */
#ifndef XENOPROF_DAEMON_SYSTEM_SAY_H
#define XENOPROF_DAEMON_SYSTEM_SAY_H

#include <stdbool.h>

/* Who speaks: xenoprofd, unless this says who; name stays the caller's. */
void say_as(const char *name);
/* Before privileges go: the log's socket is opened now. */
void say_open(bool to_stderr);
/* To stderr, whatever say_open() was told. */
void say_stderr(const char *text);
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
void say_note(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Paths as a process sees them. */
#ifndef XENOPROF_AGENT_PROCESS_ROOT_H
#define XENOPROF_AGENT_PROCESS_ROOT_H

#include <stdint.h>
#include <sys/stat.h>

/* Returns a descriptor of the root directory of a process, or -1: it has ended,
 * or is somebody else's. */
int process_root_open(int32_t tgid);
/* Returns a descriptor that names a regular file below that root, and can do
 * nothing else; no link leads out of the root.  Returns -1 if there is none, or
 * it is anything else. */
int process_root_name(int root, const char *path, struct stat *ret);
/* Opens what such a descriptor names to be read, or returns -1. */
int process_root_open_named(int named);
/* Both.  What is not a regular file is never opened: some devices do something
 * when they are. */
int process_root_open_file(int root, const char *path);
/* The same where there is no /proc, below a root that is not the machine's own:
 * what was looked at is opened by its path again.  Whoever could put another
 * file there in between could have that one opened, which is why file systems
 * of others are mounted without devices. */
int process_root_open_without_proc(int root, const char *path);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What processes that run already have mapped, from /proc. */
#ifndef XENOPROF_AGENT_PROC_SPACES_H
#define XENOPROF_AGENT_PROC_SPACES_H

#include <dirent.h>

#include "space-history.h"

/* Adds the process as it is at that time, which is now.  Returns false if it
 * cannot be read: it has ended, or is somebody else's.  One whose first thread
 * has ended goes on, but cannot be read. */
bool proc_space_add(struct space_history *history, int32_t tgid, uint64_t now);
/* Adds the mapping that a line of /proc/PID/maps says, if it is of the
 * process's code; the line is changed. */
void proc_space_line(struct space_history *history, int32_t tgid, char *line,
                     uint64_t now);
/* Returns false if there is no such process; else when it began, by the clock
 * of perf_events_now(), or up to a hundredth of a second before. */
bool proc_space_began(uint32_t tgid, uint64_t *ret);
/* Returns whether there is no such process any more. */
bool proc_space_ended(int32_t tgid);
/* Returns the next process of /proc, which is open, or 0 at its end. */
int32_t proc_spaces_next(DIR *proc);
/* Adds all processes, each with the time when it was read.  Returns how many
 * could be; 0 also if there is no /proc. */
size_t proc_spaces_add(struct space_history *history, uint64_t (*now)(void));

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that an agent is asked about. */
#ifndef XENOPROF_TESTS_UNIT_AGENT_CHILD_KIT_H
#define XENOPROF_TESTS_UNIT_AGENT_CHILD_KIT_H

#include <sys/types.h>

/* Starts a process that does this work until it is ended, or this one ends. */
pid_t kit_start_child(void (*work)(void));
void kit_end_child(pid_t child);

/* A root: a file system of its own, one of layers, a folder of all. */
enum kit_root { KIT_FOLDER, KIT_LAYERS, KIT_JAIL };

/* Enters a root below the folder with this program in it as /program, and no
 * other.  Returns its file, or -1 if no such root can be entered here. */
int kit_enter_root(const char *folder, enum kit_root kind);

#endif

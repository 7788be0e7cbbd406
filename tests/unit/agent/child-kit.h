/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processes that an agent is asked about. */
#ifndef XENOPROF_TESTS_UNIT_AGENT_CHILD_KIT_H
#define XENOPROF_TESTS_UNIT_AGENT_CHILD_KIT_H

#include <sys/types.h>

/* Starts a process that does this work until it is ended, or this one ends. */
pid_t kit_start_child(void (*work)(void));
void kit_end_child(pid_t child);

#endif

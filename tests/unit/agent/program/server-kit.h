/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An agent as it runs, with the rights that it has then, and who asks it. */
#ifndef XENOPROF_TESTS_UNIT_AGENT_PROGRAM_SERVER_KIT_H
#define XENOPROF_TESTS_UNIT_AGENT_PROGRAM_SERVER_KIT_H

#include <stdbool.h>
#include <sys/types.h>

#include "tests/unit/agent/talk-kit.h"

#define NOBODY 65534u

extern char kit_agent_socket[];
/* The file that says to it which processors there are; NULL: it does not
 * look. */
extern const char *kit_agent_cpus;
/* systemd's socket; -1: none. */
extern int kit_agent_notify;

/* Starts one with that socket; devices: a folder for the vchan's, which
 * kit_vchan_make() has made anew (NULL: without). */
void kit_agent_start(const char *devices);
/* Returns the process that makes processes for it, or 0 if that is not said. */
pid_t kit_agent_keeper(void);
/* It has not crossed its filter, nor crashed. */
void kit_agent_end(void);
/* It ends by itself.  Returns its status. */
int kit_agent_wait(void);
/* A connection to its socket; one that has said HELLO. */
int kit_agent_call(void);
int kit_agent_greet(void);
/* Returns whether there is an answer; its size is 0 if not. */
bool kit_agent_say(int fd, const struct kit_message *message,
                   struct kit_message *reply);
/* Asks for what cannot be there, and checks the answer. */
void kit_agent_check(int fd);

#endif

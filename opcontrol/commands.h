/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xenopctl's commands: one file each, one row each in main.c.
 *
 * A command returns 0 or an exit status; then the sentence is in failure, or
 * empty if it was said already.  Work that was done before is said on stdout
 * and is no failure.
 */
#ifndef XENOPROF_OPCONTROL_COMMANDS_H
#define XENOPROF_OPCONTROL_COMMANDS_H

#include "client.h"
#include "base/failure.h"
#include "control/start-options.h"

/* What the command line says besides the verbs. */
struct arguments {
    struct start_options start;
    unsigned int record; /* seconds */
    char *save;          /* name; malloc'ed */
    bool json;
    bool verbose;
};

typedef int command_run(struct arguments *arguments, struct failure *failure);

command_run command_check;
command_run command_setup;
command_run command_start;
command_run command_stop;
command_run command_dump;
command_run command_status;
command_run command_reset;
command_run command_save;
command_run command_shutdown;
command_run command_deinit;
command_run command_list_domains;
command_run command_list_sessions;
command_run command_record;

/* Shared by the commands ------------------------------------------------- */

/* "xenopctl: TEXT" on stdout: it was done before. */
void say_already(const char *text);

/* What the module is doing: enum xenoprof_state, 0 if there is no door.
 * Returns 0, or a status and a sentence (no hypfs, another version). */
int module_state(unsigned int *ret, struct failure *failure);

/* A daemon, also if one died while it recorded: then it goes on.  *runs:
 * there is one now, or something for one to do.  0 or a status. */
int find_daemon(const struct arguments *arguments, bool *runs,
                struct failure *failure);

/* Ask, say what the answer says, forget it. */
int ask_and_say(const char *request, struct failure *failure);

#endif

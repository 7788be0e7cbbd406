/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xenopctl's commands, and what they share.  Each command has a row in
 * main.c.
 *
 * A command returns 0, or an exit status with a sentence in failure; the
 * sentence is empty if it was printed already.  If nothing is left to do, a
 * command says so on stdout and returns 0.
 */
#ifndef XENOPROF_OPCONTROL_COMMANDS_H
#define XENOPROF_OPCONTROL_COMMANDS_H

#include "base/failure.h"
#include "client.h"
#include "control/start-options.h"
#include "module/module.h"

/* What the command line says besides the command's name. */
struct arguments {
    const struct start_options *start;
    const char *name;     /* NULL: the command takes none */
    unsigned int seconds; /* 0: the command takes none */
    bool json;
    bool prometheus;
    bool verbose;
    bool no_module;      /* with --record */
    const char *offline; /* a hypervisor's file, or NULL: the running one */
    const char *table;   /* where its unwind table is written, or NULL */
    const char *cut;     /* with --archive: a part of the time; NULL: all */
    bool anonymize;      /* with --archive */
};

typedef int command_run(const struct arguments *arguments,
                        struct failure *failure);

command_run command_check;         /* cmd-module.c */
command_run command_setup;         /* cmd-module.c */
command_run command_deinit;        /* cmd-module.c */
command_run command_start;         /* cmd-start.c */
command_run command_record;        /* cmd-record.c */
command_run command_archive;       /* cmd-record.c */
command_run record_without_module; /* cmd-no-module.c; a form of the last */
command_run command_stop;          /* cmd-session.c */
command_run command_dump;          /* cmd-session.c */
command_run command_reset;         /* cmd-session.c */
command_run command_save;          /* cmd-session.c */
command_run command_shutdown;      /* cmd-session.c */
command_run command_status;        /* cmd-status.c */
command_run command_list_domains;  /* cmd-list.c */
command_run command_list_sessions; /* cmd-list.c */
command_run command_list_events;   /* cmd-list.c */

/* Prints "xenopctl: TEXT" on stdout. */
void say_already(const char *text);

/* Sets *ret to the module's enum xenoprof_state, 0: not loaded.  Returns 0 or
 * an exit status. */
int module_state(unsigned int *ret, struct failure *failure);

/*
 * Builds the module and loads it, and says what that was.  Returns 0, or an
 * exit status. *already: it is loaded, nothing was done or said.
 */
int load_module(const struct arguments *arguments, bool *already,
                struct failure *failure);

/* Returns the module of the running Xen, which module_close() frees, or NULL
 * with a failure.  module.h says what else writes to failure. */
struct module_context *open_module(const struct arguments *arguments,
                                   struct failure *failure);

/*
 * Checks that this is dom0 and root, and looks for a daemon.  If a daemon died
 * while it recorded, another one is started, which continues.  *runs: there
 * is a daemon now.  Returns 0 or an exit status.
 */
int find_daemon(const struct arguments *arguments, bool *runs,
                struct failure *failure);

/* Makes the session directory for the daemon's user, who owns the folder of
 * the daemon's socket.  Returns 0 or an exit status. */
int make_session_dir(const struct arguments *arguments,
                     struct failure *failure);

/* Sends a request to the daemon, shows its progress on stderr, and prints what
 * the answer says.  Returns 0 or an exit status. */
int ask_and_say(const char *request, struct failure *failure);
/* The same for a request that stops a session: who interrupts it does not want
 * to wait for guests' kernels. */
int ask_to_stop(const char *request, struct failure *failure);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --stop, --dump, --reset, --save and --shutdown: the daemon does the work if
 * one runs; otherwise nothing is being sampled, and little is left to do.
 */
#include <stdio.h>

#include "base/scope.h"
#include "commands.h"
#include "control/door-client.h"
#include "control/protocol.h"
#include "control/session-folders.h"

/* --stop: drain the rings and close the session. */
int command_stop(const struct arguments *arguments, struct failure *failure)
{
    bool runs;

    if ( find_daemon(arguments, &runs, failure) )
        return failure->status;
    if ( runs )
        return ask_to_stop("stop", failure);
    say_already("nothing is being sampled");
    return 0;
}

/* --dump: everything sampled so far is on disk when this returns. */
int command_dump(const struct arguments *arguments, struct failure *failure)
{
    bool runs;

    if ( find_daemon(arguments, &runs, failure) )
        return failure->status;
    if ( runs )
        return ask_and_say("dump", failure);
    return fail(failure, STATUS_NO_SESSION,
                "no session is running; xenopctl --start begins one");
}

/* Drops what a session without a daemon left in the module and on disk. */
static int reset_here(const struct arguments *arguments,
                      struct failure *failure)
{
    const char *dir = arguments->start->session_dir;
    struct door_client door;
    unsigned int state;

    if ( module_state(&state, failure) )
        return failure->status;
    if ( state <= XENOPROF_STATE_LOADED &&
         !session_exists(dir, SESSION_CURRENT) )
    {
        say_already("there is no session data");
        return 0;
    }
    if ( state > XENOPROF_STATE_LOADED && door_client_open(&door) == 0 )
    {
        door_client_command(&door, "reset");
        door_client_close(&door);
    }
    return session_delete(dir, SESSION_CURRENT, failure);
}

/* --reset: drop the session's data and counters; a running one goes on. */
int command_reset(const struct arguments *arguments, struct failure *failure)
{
    bool runs;

    if ( find_daemon(arguments, &runs, failure) )
        return failure->status;
    return runs ? ask_and_say("reset", failure)
                : reset_here(arguments, failure);
}

static int ask_save(const char *name, struct failure *failure)
{
    char *request SCOPE_FREE = NULL;
    size_t size;
    FILE *file = open_memstream(&request, &size);

    if ( !file )
        return fail_memory(failure);
    line_begin(file, "save");
    line_text(file, "name", name);
    fclose(file);
    return ask_and_say(request, failure);
}

/* --save=NAME: keep the current session's data under another name. */
int command_save(const struct arguments *arguments, struct failure *failure)
{
    bool runs;

    if ( session_name_check(arguments->name, failure) ||
         find_daemon(arguments, &runs, failure) )
        return failure->status;
    return runs ? ask_save(arguments->name, failure)
                : session_link(arguments->start->session_dir, arguments->name,
                               failure);
}

/* --shutdown: stop sampling and end the daemon. */
int command_shutdown(const struct arguments *arguments, struct failure *failure)
{
    bool runs;
    int status;

    if ( find_daemon(arguments, &runs, failure) )
        return failure->status;
    if ( !runs )
    {
        say_already("xenoprofd is not running");
        return 0;
    }
    status = ask_to_stop("shutdown", failure);
    if ( status != STATUS_NO_DAEMON )
        client_wait_for_end();
    return status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>

#include "commands.h"
#include "control/door-client.h"
#include "control/session-folders.h"
#include "control/xen-access.h"

/* No daemon: what is left of a session is in the module and on disk. */
static int reset_here(const struct arguments *arguments,
                      struct failure *failure)
{
    const char *dir = arguments->start.session_dir;
    unsigned int state;
    struct door_client door;

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

/* --reset: drop the session's data and counters; one that runs goes on. */
int command_reset(struct arguments *arguments, struct failure *failure)
{
    bool runs;

    if ( xen_access_check(failure) || find_daemon(arguments, &runs, failure) )
        return failure->status;
    return runs ? ask_and_say("reset", failure)
                : reset_here(arguments, failure);
}

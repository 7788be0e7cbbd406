/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"
#include "control/xen-access.h"

/* --shutdown: stop what runs, end the daemon. */
int command_shutdown(struct arguments *arguments, struct failure *failure)
{
    bool runs;
    int status;

    if ( xen_access_check(failure) || find_daemon(arguments, &runs, failure) )
        return failure->status;
    if ( !runs )
    {
        say_already("xenoprofd is not running");
        return 0;
    }
    status = ask_and_say("shutdown", failure);
    if ( status != STATUS_NO_DAEMON )
        client_wait_for_end();
    return status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"
#include "control/xen-access.h"

/* --dump: everything sampled so far is on disk when this returns. */
int command_dump(struct arguments *arguments, struct failure *failure)
{
    bool runs;

    if ( xen_access_check(failure) || find_daemon(arguments, &runs, failure) )
        return failure->status;
    if ( runs )
        return ask_and_say("dump", failure);
    return fail(failure, STATUS_NO_SESSION,
                "no session is running; xenopctl --start begins one");
}

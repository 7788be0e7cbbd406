/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "commands.h"
#include "control/xen-access.h"

/* --stop: no more samples; the rings drained, the session closed. */
int command_stop(struct arguments *arguments, struct failure *failure)
{
    bool runs;

    if ( xen_access_check(failure) || find_daemon(arguments, &runs, failure) )
        return failure->status;
    if ( runs )
        return ask_and_say("stop", failure);
    say_already("nothing is being sampled");
    return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module-link.h"
#include "control/xen-access.h"

static int unload(struct module_context *context)
{
    bool already;
    int status = module_unload(context, &already);

    if ( already )
        say_already("the module is not loaded");
    return status;
}

/* Nothing is ended before it is known that all of it can be. */
static int end_all(struct arguments *arguments, struct module_context *context,
                   struct failure *failure)
{
    bool runs;

    if ( module_may_unload(context) || find_daemon(arguments, &runs, failure) )
        return failure->status;
    if ( runs && command_shutdown(arguments, failure) )
        return failure->status;
    return unload(context);
}

/* --deinit: stop, end the daemon, unload the module. */
int command_deinit(struct arguments *arguments, struct failure *failure)
{
    struct module_context *context;
    int status;

    if ( xen_access_check(failure) )
        return failure->status;
    context = module_link_open(arguments, failure);
    if ( !context )
        return failure->status;
    status = end_all(arguments, context, failure);
    module_close(context);
    return status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module-link.h"
#include "xen-domains.h"

static int unload(struct arguments *arguments, struct failure *failure)
{
    struct module_context *context = module_link_open(arguments, failure);
    enum module_code code;
    int status;

    if ( !context )
        return failure->status;
    code = module_unload(context);
    if ( code == MODULE_ALREADY )
        say_already("the module is not loaded");
    status = module_link_fail(context, code, failure);
    module_close(context);
    return status;
}

/* --deinit: stop, end the daemon, unload the module. */
int command_deinit(struct arguments *arguments, struct failure *failure)
{
    bool runs;

    if ( xen_place_check(failure) || find_daemon(arguments, &runs, failure) )
        return failure->status;
    if ( runs && command_shutdown(arguments, failure) )
        return failure->status;
    return unload(arguments, failure);
}

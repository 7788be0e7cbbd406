/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>

#include "module-link.h"
#include "control/xen-access.h"

/* --setup: put the module together for the hypervisor that runs, load it. */
int command_setup(struct arguments *arguments, struct failure *failure)
{
    struct module_context *context;
    bool already;
    int status;

    if ( xen_access_check(failure) )
        return failure->status;
    context = module_link_open(arguments, failure);
    if ( !context )
        return failure->status;
    status = module_setup(context, &already);
    if ( already )
        say_already("the module is already loaded");
    else if ( !status && *module_unwind_line(context) )
        printf("%s\n", module_unwind_line(context));
    module_close(context);
    return status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "module-link.h"

/* --check: what the module needs, with yes or no, and what to do. */
int command_check(struct arguments *arguments, struct failure *failure)
{
    struct module_context *context = module_link_open(arguments, failure);
    int status;

    if ( !context )
        return failure->status;
    status = module_check(context, stdout);
    module_close(context);
    return status;
}

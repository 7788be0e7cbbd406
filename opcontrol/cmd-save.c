/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>

#include "commands.h"
#include "control/protocol.h"
#include "base/scope.h"
#include "control/session-folders.h"
#include "control/xen-access.h"

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
int command_save(struct arguments *arguments, struct failure *failure)
{
    bool runs;

    if ( session_name_check(arguments->save, failure) ||
         xen_access_check(failure) || find_daemon(arguments, &runs, failure) )
        return failure->status;
    return runs ? ask_save(arguments->save, failure)
                : session_link(arguments->start.session_dir, arguments->save,
                               failure);
}

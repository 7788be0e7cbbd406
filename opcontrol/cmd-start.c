/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --start: load the module, launch the daemon, send it the request. */
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agents-say.h"
#include "base/scope.h"
#include "commands.h"
#include "control/guest-roots.h"
#include "control/protocol.h"
#include "control/session-folders.h"
#include "control/xen-access.h"
#include "launch.h"

/* Returns the request line, malloc'ed, or NULL if there is no memory. */
static char *make_request(const struct arguments *arguments)
{
    char *options SCOPE_FREE = start_options_text(arguments->start);
    const char *sudo = getenv("SUDO_USER");
    const char *terminal = ttyname(STDIN_FILENO);
    char *request = NULL;
    char asker[128];
    size_t size;
    FILE *file = options ? open_memstream(&request, &size) : NULL;

    if ( !file )
        return NULL;
    /* Describes the user, for the next user who finds the session running. */
    snprintf(asker, sizeof(asker), "%s%s%s (pid %d)",
             sudo && *sudo ? sudo : "root", terminal ? " on " : "",
             terminal ? terminal : "", (int)getpid());
    line_begin(file, "start");
    line_text(file, "by", asker);
    fputs(options, file);
    if ( fclose(file) )
    {
        free(request);
        return NULL;
    }
    return request;
}

int make_session_dir(const struct arguments *arguments, struct failure *failure)
{
    char folder[PATH_MAX];
    struct stat status;

    snprintf(folder, sizeof(folder), "%s", control_path());
    if ( stat(dirname(folder), &status) )
        return 0;
    return session_dir_make_for(arguments->start->session_dir, status.st_uid,
                                status.st_gid, failure);
}

static int start_with(const struct arguments *arguments,
                      const struct root_folders *folders,
                      struct failure *failure)
{
    char *request SCOPE_FREE = NULL;
    unsigned int state;
    bool already;

    if ( xen_access_check(failure) || module_state(&state, failure) )
        return failure->status;
    /* Another xenopctl may load it meanwhile: nobody asked for that here. */
    if ( !state && load_module(arguments, &already, failure) )
        return failure->status;
    if ( launch_daemon(arguments->start->session_dir, failure) ||
         make_session_dir(arguments, failure) )
        return failure->status;
    if ( !arguments->start->no_agent )
        launch_agent(stderr);
    request = make_request(arguments);
    if ( !request )
        return fail_memory(failure);
    client_attach(folders);
    if ( ask_and_say(request, failure) )
        return failure->status;
    if ( asked_domains_have(&arguments->start->domains, ROLE_ACTIVE) )
        agents_say(stderr, AGENTS_SAY_PATIENCE);
    return arguments->start->push[0]
               ? launch_push(arguments->start->session_dir,
                             arguments->start->push, failure)
               : 0;
}

int command_start(const struct arguments *arguments, struct failure *failure)
{
    struct root_folders folders;

    if ( start_options_check(arguments->start, failure) ||
         guest_roots_open(&arguments->start->roots, &folders, failure) )
        return failure->status;
    start_with(arguments, &folders, failure);
    root_folders_close(&folders);
    return failure->status;
}

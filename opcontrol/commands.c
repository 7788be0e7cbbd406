/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What several commands do: ask the module, the daemon, and print. */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "control/door-client.h"
#include "control/xen-access.h"
#include "launch.h"
#include "progress.h"

void say_already(const char *text)
{
    client_say(stdout, "", text);
}

int module_state(unsigned int *ret, struct failure *failure)
{
    struct xenoprof_door_state state;
    struct door_client door = {0};
    int error = door_client_open(&door);

    *ret = 0;
    if ( error == -EOPNOTSUPP )
        return fail(failure, STATUS_NO_HYPFS,
                    "this hypervisor was built without hypfs; xenoprof needs "
                    "CONFIG_HYPFS");
    if ( error )
        return fail(failure, STATUS_NO_DOM0,
                    "Xen's hypercall device cannot be used: %s; is the module "
                    "xen-privcmd loaded?",
                    strerror(-error));
    error = door_client_state(&door, &state);
    door_client_close(&door);
    if ( error == 0 )
        *ret = state.state;
    if ( error == -EPERM || error == -EACCES )
        return fail(failure, STATUS_NO_DOM0,
                    "only dom0 may read Xen's hypfs; run this in dom0");
    if ( error == -EPROTO )
        return fail(failure, STATUS_REFUSED,
                    "the loaded module is of another version; "
                    "xenopctl --deinit unloads it");
    if ( error && error != -ENOENT )
        return fail(failure, STATUS_FAILED,
                    "the module's state cannot be read: %s", strerror(-error));
    return 0;
}

struct module_context *open_module(const struct arguments *arguments,
                                   struct failure *failure)
{
    const char *xen_syms = arguments->start->xen_syms;
    const struct module_options options = {
        .xen_syms = *xen_syms ? xen_syms : NULL,
        .verbose = arguments->verbose ? stdout : NULL,
    };

    return module_open(&options, failure);
}

int find_daemon(const struct arguments *arguments, bool *runs,
                struct failure *failure)
{
    unsigned int state;

    if ( xen_access_check(failure) )
        return failure->status;
    *runs = client_daemon_runs();
    if ( *runs )
        return 0;
    if ( module_state(&state, failure) )
        return failure->status;
    if ( state != XENOPROF_STATE_RUNNING )
        return 0;
    *runs = launch_daemon(arguments->start->session_dir, failure) == 0;
    return failure->status;
}

static void show_progress(void *self, const char *line)
{
    progress_show(self, line);
}

static void ignore_wake(void *self)
{
    (void)self;
}

static int ask_with_progress(const char *request, void (*woken)(void *self),
                             struct failure *failure)
{
    struct progress progress;
    const struct client_watch watch = {&progress, show_progress, woken};
    struct reply reply;
    int status;

    progress_begin(&progress, stderr);
    status = client_ask_and_watch(request, &watch, &reply, failure);
    progress_end(&progress);
    reply_say(&reply);
    reply_free(&reply);
    return status;
}

int ask_and_say(const char *request, struct failure *failure)
{
    return ask_with_progress(request, ignore_wake, failure);
}

static volatile sig_atomic_t interrupted;

static void interrupt(int number)
{
    (void)number;
    interrupted = 1;
}

static void hurry_if_interrupted(void *self)
{
    if ( !interrupted )
        return;
    interrupted = 0;
    progress_end(self);
    client_say(stderr, "",
               "interrupted; samples that wait are stored as they "
               "are");
    client_send("hurry");
}

int ask_to_stop(const char *request, struct failure *failure)
{
    /* The second time it ends this program. */
    const struct sigaction action = {
        .sa_handler = interrupt,
        .sa_flags = SA_RESETHAND,
    };
    struct sigaction before;
    int status;

    interrupted = 0;
    sigaction(SIGINT, &action, &before);
    status = ask_with_progress(request, hurry_if_interrupted, failure);
    sigaction(SIGINT, &before, NULL);
    return status;
}

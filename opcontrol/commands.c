/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "commands.h"
#include "control/door-client.h"

void say_already(const char *text)
{
    printf("xenopctl: %s\n", text);
}

int module_state(unsigned int *ret, struct failure *failure)
{
    struct xenoprof_door_state state;
    struct door_client door = {0};
    int code = door_client_open(&door);

    *ret = 0;
    if ( code == -EOPNOTSUPP )
        return fail(failure, STATUS_NO_HYPFS,
                    "this hypervisor was built without hypfs; xenoprof needs "
                    "CONFIG_HYPFS");
    if ( code )
        return fail(failure, STATUS_NO_DOM0,
                    "Xen's hypercall device cannot be used: %s; is the module "
                    "xen-privcmd loaded?",
                    strerror(-code));
    code = door_client_state(&door, &state);
    door_client_close(&door);
    if ( code == 0 )
        *ret = state.state;
    if ( code == -EPERM || code == -EACCES )
        return fail(failure, STATUS_NO_DOM0,
                    "only dom0 may read Xen's hypfs; run this in dom0");
    if ( code == -EPROTO )
        return fail(failure, STATUS_REFUSED,
                    "the loaded module is of another version; "
                    "xenopctl --deinit unloads it");
    if ( code && code != -ENOENT )
        return fail(failure, STATUS_FAILED,
                    "the module's state cannot be read: %s", strerror(-code));
    return 0;
}

int find_daemon(const struct arguments *arguments, bool *runs,
                struct failure *failure)
{
    unsigned int state;

    *runs = client_daemon_runs();
    if ( *runs )
        return 0;
    if ( module_state(&state, failure) )
        return failure->status;
    if ( state != XENOPROF_STATE_RUNNING )
        return 0;
    *runs = client_launch(arguments->start.session_dir, failure) == 0;
    return failure->status;
}

int ask_and_say(const char *request, struct failure *failure)
{
    struct reply reply;
    int status = client_ask(request, &reply, failure);

    reply_say(&reply);
    reply_free(&reply);
    return status;
}

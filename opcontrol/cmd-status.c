/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --status: ask door, module and daemon, or read the session; then print. */
#include <errno.h>
#include <string.h>

#include "commands.h"
#include "control/door-client.h"
#include "control/lacks.h"
#include "control/push-file.h"
#include "control/xen-access.h"
#include "status-metrics.h"
#include "status-print.h"

static const char *state_name(unsigned int state)
{
    switch ( state )
    {
    case 0: return "unloaded";
    case XENOPROF_STATE_RUNNING: return "running";
    case XENOPROF_STATE_STOPPED: return "stopped";
    default: return "loaded";
    }
}

static int ask_door(struct status *status, unsigned int *state,
                    struct failure *failure)
{
    struct xenoprof_door_state seen;
    struct door_client door;

    if ( module_state(state, failure) )
        return failure->status;
    status->state = state_name(*state);
    if ( *state == 0 || door_client_open(&door) )
        return 0;
    if ( door_client_state(&door, &seen) == 0 )
    {
        status->awaited = seen.awaited;
        lacks_text(seen.lacks, status->warning, sizeof(status->warning));
    }
    door_client_close(&door);
    return 0;
}

static void ask_module(struct status *status, const struct arguments *arguments)
{
    struct failure ignored = {0};
    struct module_context *context = open_module(arguments, &ignored);
    const char *above = context ? module_covered_by(context) : NULL;

    if ( above )
        snprintf(status->covered_by, sizeof(status->covered_by), "%s", above);
    module_close(context);
}

static int ask_daemon(struct status *status, struct failure *failure)
{
    struct reply reply;
    int result = client_ask("status", &reply, failure);

    if ( !result )
        status_from_reply(status, &reply);
    reply_free(&reply);
    return result;
}

/* A session is shown only while the module still has it. */
static int gather(struct status *status, const struct arguments *arguments,
                  struct failure *failure)
{
    unsigned int state;

    if ( ask_door(status, &state, failure) )
        return failure->status;
    if ( state )
        ask_module(status, arguments);
    if ( client_daemon_runs() && ask_daemon(status, failure) )
        return failure->status;
    if ( !status->has_session && state > XENOPROF_STATE_LOADED )
        status_from_disk(status, arguments->start->session_dir);
    if ( push_file_find(push_dir(), &status->push) &&
         strcmp(status->push.state, "gone") == 0 )
        status->push.pid = 0;
    return 0;
}

/* Returns false if it could not be written. */
static bool print(const struct status *status,
                  const struct arguments *arguments)
{
    if ( arguments->json )
        return status_print_json(status, stdout);
    if ( arguments->prometheus )
        return status_print_metrics(status, stdout);
    status_print_table(status, stdout);
    return true;
}

int command_status(const struct arguments *arguments, struct failure *failure)
{
    struct status status = {0};

    if ( xen_access_check(failure) )
        return failure->status;
    if ( gather(&status, arguments, failure) == 0 )
    {
        if ( !print(&status, arguments) )
            fail(failure, STATUS_FAILED, "the status cannot be written: %s",
                 strerror(errno));
    }
    status_free(&status);
    return failure->status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Requests of the control socket: a table of verbs, a function for each. */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "daemon.h"
#include "control/protocol.h"
#include "control/session-folders.h"
#include "recording-work.h"
#include "reply.h"

struct request {
    const char *verb;
    int (*run)(struct daemon *daemon, struct client *client,
               struct failure *failure);
};

static bool is_active(const struct daemon *daemon)
{
    return daemon->recording.state == RECORDING_STARTING ||
           daemon->recording.state == RECORDING_RUNNING;
}

static void say_since(const struct recording *recording, char *text,
                      size_t size)
{
    time_t seconds = (time_t)(recording->since / 1000000000u);
    struct tm tm;

    text[0] = '\0';
    if ( gmtime_r(&seconds, &tm) )
        strftime(text, size, "%Y-%m-%d %H:%M:%S UTC", &tm);
}

static int refuse_other(const struct recording *recording,
                        struct failure *failure)
{
    char since[40];

    say_since(recording, since, sizeof(since));
    return fail(failure, STATUS_BUSY,
                "a session with other options is running since %s, started "
                "by %s; xenopctl --stop ends it",
                since, recording->by[0] ? recording->by : "somebody");
}

/* Running already: fine with the same options. */
static int start_again(struct daemon *daemon, struct client *client,
                       const struct start_options *options,
                       struct failure *failure)
{
    const struct recording *recording = &daemon->recording;
    char *text = start_options_text(options);
    bool same = text && strcmp(text, recording->options_text) == 0;
    char since[40], already[128];

    free(text);
    if ( !same || recording->state == RECORDING_STARTING )
        return refuse_other(recording, failure);
    say_since(recording, since, sizeof(since));
    snprintf(already, sizeof(already),
             "sampling with these options goes on since %s", since);
    reply_sentence(client->reply, "already", already);
    reply_recording(recording, client->reply);
    return 0;
}

static int run_start(struct daemon *daemon, struct client *client,
                     struct failure *failure)
{
    struct start_options options;
    char by[sizeof(daemon->recording.by)] = "";
    int status;

    start_options_init(&options);
    status = start_options_parse(&options, client->request, failure);
    if ( !status )
        status = start_options_check(&options, failure);
    if ( !status && is_active(daemon) )
        status = start_again(daemon, client, &options, failure);
    else if ( !status )
    {
        line_get_text(client->request, "by", by, sizeof(by));
        status = recording_start(&daemon->recording, &options, by, failure);
        if ( !status )
            daemon->starting = client;
    }
    start_options_free(&options);
    return status;
}

/* No session of ours, but the module may sample for a session whose data is
 * gone. */
static int stop_stray(struct daemon *daemon, struct client *client,
                      struct failure *failure)
{
    const struct door_client *door = &daemon->xen->door;
    struct xenoprof_door_state state;

    if ( door_client_state(door, &state) == 0 &&
         (state.state == XENOPROF_STATE_RUNNING ||
          state.state == XENOPROF_STATE_RESERVED) )
    {
        int code;

        door_client_command(door, "stop");
        code = door_client_command(door, "reset");
        return code ? recording_refused(daemon->xen, "to stop", code, failure)
                    : 0;
    }
    reply_sentence(client->reply, "already", "nothing is being sampled");
    return 0;
}

static int run_stop(struct daemon *daemon, struct client *client,
                    struct failure *failure)
{
    int status;

    if ( !is_active(daemon) )
        return stop_stray(daemon, client, failure);
    status = recording_stop(&daemon->recording, failure);
    request_polled(daemon, NULL);
    reply_recording(&daemon->recording, client->reply);
    return status;
}

static int need_running(const struct daemon *daemon, struct failure *failure)
{
    if ( is_active(daemon) )
        return 0;
    return fail(failure, STATUS_NO_SESSION,
                "no session is running; xenopctl --start begins one");
}

static int run_dump(struct daemon *daemon, struct client *client,
                    struct failure *failure)
{
    if ( daemon->recording.state == RECORDING_STOPPED )
    {
        reply_sentence(client->reply, "already",
                       "the session is closed, all of it is on disk");
        return 0;
    }
    if ( need_running(daemon, failure) )
        return failure->status;
    return recording_dump(&daemon->recording, failure);
}

static int run_reset(struct daemon *daemon, struct client *client,
                     struct failure *failure)
{
    if ( daemon->recording.state == RECORDING_STARTING )
        return fail(failure, STATUS_BUSY,
                    "a session is just being started; try again");
    if ( daemon->recording.state == RECORDING_NONE &&
         !session_exists(daemon->session_dir, SESSION_CURRENT) )
        reply_sentence(client->reply, "already", "there is no session data");
    return recording_reset(&daemon->recording, failure);
}

static int run_save(struct daemon *daemon, struct client *client,
                    struct failure *failure)
{
    char name[LINE_MAX_BYTES];

    if ( !line_get_text(client->request, "name", name, sizeof(name)) )
        return fail(failure, STATUS_USAGE, "--save needs a name");
    return recording_save(&daemon->recording, name, failure);
}

static int run_status(struct daemon *daemon, struct client *client,
                      struct failure *failure)
{
    (void)failure;
    reply_recording(&daemon->recording, client->reply);
    reply_daemon(client->reply);
    return 0;
}

static int run_shutdown(struct daemon *daemon, struct client *client,
                        struct failure *failure)
{
    (void)client;
    daemon->ending = true;
    if ( !is_active(daemon) )
        return 0;
    return recording_stop(&daemon->recording, failure);
}

static const struct request requests[] = {
    {"start", run_start},       {"stop", run_stop}, {"dump", run_dump},
    {"reset", run_reset},       {"save", run_save}, {"status", run_status},
    {"shutdown", run_shutdown},
};

void request_run(struct daemon *daemon, struct client *client)
{
    struct failure failure = {0};
    bool known = false;

    for ( size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++ )
    {
        if ( !line_is(client->request, requests[i].verb) )
            continue;
        known = true;
        requests[i].run(daemon, client, &failure);
        break;
    }
    if ( !known )
        fail(&failure, STATUS_USAGE,
             "xenoprofd knows no such request; is xenopctl of another "
             "version?");
    if ( daemon->starting != client )
        client_finish(client, &failure);
}

void request_polled(struct daemon *daemon, const struct failure *failure)
{
    struct client *client = daemon->starting;
    struct failure stopped;

    if ( !client || daemon->recording.state == RECORDING_STARTING )
        return;
    daemon->starting = NULL;
    if ( daemon->recording.state != RECORDING_RUNNING && !failure )
    {
        fail(&stopped, STATUS_FAILED,
             "the session was stopped before the first sample came");
        failure = &stopped;
    }
    if ( client->fd < 0 )
        return;
    reply_recording(&daemon->recording, client->reply);
    client_finish(client, failure);
}

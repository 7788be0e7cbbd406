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
#include "waiting.h"

struct request {
    const char *verb;
    client_then *run;
};

/* Running already: fine with the same options. */
static int start_again(struct daemon *daemon, struct client *client,
                       const struct start_options *options,
                       struct failure *failure)
{
    const struct recording *recording = &daemon->recording;
    char *text = start_options_text(options);
    bool same = text && strcmp(text, recording->options_text) == 0;
    time_t seconds = (time_t)(recording->since / 1000000000u);
    char since[40] = "", already[128];
    struct tm tm;

    free(text);
    if ( gmtime_r(&seconds, &tm) )
        strftime(since, sizeof(since), "%Y-%m-%d %H:%M:%S UTC", &tm);
    if ( !same )
        return fail(failure, STATUS_BUSY,
                    "a session with other options is running since %s, started "
                    "by %s; xenopctl --stop ends it",
                    since, recording->by[0] ? recording->by : "somebody");
    snprintf(already, sizeof(already),
             "sampling with these options goes on since %s", since);
    reply_sentence(client->reply, "already", already);
    reply_recording(recording, client->reply);
    return 0;
}

static int end_start(struct daemon *daemon, struct client *client,
                     struct failure *failure)
{
    if ( daemon->recording.state != RECORDING_RUNNING && !failure->status )
        fail(failure, STATUS_FAILED,
             "the session was stopped before the first sample came");
    reply_recording(&daemon->recording, client->reply);
    return failure->status;
}

static int run_start(struct daemon *daemon, struct client *client,
                     struct failure *failure);

/* Whether the last session could be stored, or begun by another client, is not
 * this client's business. */
static int start_when_free(struct daemon *daemon, struct client *client,
                           struct failure *failure)
{
    *failure = (struct failure){0};
    return run_start(daemon, client, failure);
}

/* Nothing begins then: this process will not be there to end it. */
static bool is_leaving(const struct daemon *daemon)
{
    return daemon->leaving || daemon->ending;
}

static int refuse_while_leaving(struct failure *failure)
{
    return fail(failure, STATUS_BUSY,
                "xenoprofd is just ending its work; try again");
}

static int start_now(struct daemon *daemon, struct client *client,
                     struct start_options *options, struct failure *failure)
{
    char by[sizeof(daemon->recording.by)] = "";
    int status;

    line_get_text(client->request, "by", by, sizeof(by));
    options->folders = client->folders;
    client->folders.count = 0;
    status = recording_start(&daemon->recording, options, by, failure);
    if ( !status )
        client_wait(client, UNTIL_STARTED, end_start);
    return status;
}

static int run_start(struct daemon *daemon, struct client *client,
                     struct failure *failure)
{
    struct start_options options;
    int status;

    start_options_init(&options);
    status = start_options_parse(&options, client->request, failure);
    if ( !status )
        status = start_options_check(&options, failure);
    if ( !status && client->folders.count != options.roots.count )
        status = fail(failure, STATUS_USAGE,
                      "the folders of --guest-root did not come along; is "
                      "xenopctl of another version?");
    else if ( !status && is_leaving(daemon) )
        status = refuse_while_leaving(failure);
    else if ( !status && (daemon->recording.state == RECORDING_STOPPING ||
                          daemon->recording.state == RECORDING_STARTING) )
        client_wait(client, UNTIL_FREE, start_when_free);
    else if ( !status && recording_is_open(&daemon->recording) )
        status = start_again(daemon, client, &options, failure);
    else if ( !status )
        status = start_now(daemon, client, &options, failure);
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

static int end_stop(struct daemon *daemon, struct client *client,
                    struct failure *failure)
{
    reply_recording(&daemon->recording, client->reply);
    return failure->status;
}

static int run_stop(struct daemon *daemon, struct client *client,
                    struct failure *failure)
{
    if ( !recording_is_open(&daemon->recording) )
        return stop_stray(daemon, client, failure);
    recording_stop(&daemon->recording);
    client_wait(client, UNTIL_STOPPED, end_stop);
    /* It was starting: that client is answered, too. */
    if ( daemon->recording.state == RECORDING_NONE )
        request_polled(daemon, NULL);
    return 0;
}

/* Whether the session could be stored is said to those who wait for it. */
static int run_hurry(struct daemon *daemon, struct client *client,
                     struct failure *failure)
{
    struct failure stop = {0};

    (void)client;
    (void)failure;
    if ( daemon->recording.state != RECORDING_STOPPING )
        return 0;
    recording_stop_now(&daemon->recording, &stop);
    request_polled(daemon, stop.status ? &stop : NULL);
    return 0;
}

static int need_running(const struct daemon *daemon, struct failure *failure)
{
    if ( daemon->recording.state != RECORDING_NONE )
        return 0;
    return fail(failure, STATUS_NO_SESSION,
                "no session is running; xenopctl --start begins one");
}

static int end_dump(struct daemon *daemon, struct client *client,
                    struct failure *failure)
{
    (void)client;
    /* A stop was faster, which may have failed, or a reset. */
    if ( failure->status || daemon->recording.state == RECORDING_STOPPED )
        return failure->status;
    return need_running(daemon, failure)
               ? failure->status
               : recording_dump(&daemon->recording, failure);
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
    client_wait(client, UNTIL_STORED, end_dump);
    return 0;
}

/* A stop whose samples are dropped does not end well. */
static int reset(struct daemon *daemon, struct failure *failure)
{
    struct failure dropped = {0};
    int status = recording_reset(&daemon->recording, failure);

    fail(&dropped, STATUS_NO_SESSION,
         "xenopctl --reset dropped the session before all of it was stored");
    request_polled(daemon, &dropped);
    return status;
}

static int run_reset(struct daemon *daemon, struct client *client,
                     struct failure *failure)
{
    if ( is_leaving(daemon) )
        return refuse_while_leaving(failure);
    if ( daemon->recording.state == RECORDING_STARTING )
        return fail(failure, STATUS_BUSY,
                    "a session is just being started; try again");
    if ( daemon->recording.state == RECORDING_NONE &&
         !session_exists(daemon->session_dir, SESSION_CURRENT) )
        reply_sentence(client->reply, "already", "there is no session data");
    return reset(daemon, failure);
}

static int get_name(const struct client *client, char *name, size_t size,
                    struct failure *failure)
{
    if ( !line_get_text(client->request, "name", name, size) )
        return fail(failure, STATUS_USAGE, "--save needs a name");
    return session_name_check(name, failure);
}

static int end_save(struct daemon *daemon, struct client *client,
                    struct failure *failure)
{
    char name[LINE_MAX_BYTES];

    *failure = (struct failure){0};
    if ( get_name(client, name, sizeof(name), failure) )
        return failure->status;
    return recording_save(&daemon->recording, name, failure);
}

static int run_save(struct daemon *daemon, struct client *client,
                    struct failure *failure)
{
    char name[LINE_MAX_BYTES];

    if ( get_name(client, name, sizeof(name), failure) )
        return failure->status;
    if ( !recording_is_open(&daemon->recording) )
        return recording_save(&daemon->recording, name, failure);
    client_wait(client, UNTIL_STORED, end_save);
    return 0;
}

static int run_status(struct daemon *daemon, struct client *client,
                      struct failure *failure)
{
    (void)failure;
    reply_recording(&daemon->recording, client->reply);
    reply_daemon(&daemon->recording, client->reply);
    return 0;
}

static int end_shutdown(struct daemon *daemon, struct client *client,
                        struct failure *failure)
{
    (void)daemon;
    (void)client;
    return failure->status;
}

static int run_shutdown(struct daemon *daemon, struct client *client,
                        struct failure *failure)
{
    (void)failure;
    daemon->leaving = true;
    recording_stop(&daemon->recording);
    client_wait(client, UNTIL_STOPPED, end_shutdown);
    request_polled(daemon, NULL);
    return 0;
}

static const struct request requests[] = {
    {"start", run_start},       {"stop", run_stop},   {"dump", run_dump},
    {"reset", run_reset},       {"save", run_save},   {"status", run_status},
    {"shutdown", run_shutdown}, {"hurry", run_hurry},
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
    if ( !client->then )
        client_finish(client, &failure);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Clients that wait for the recording. */
#include <stdlib.h>

#include "base/clock.h"
#include "base/scope.h"
#include "reply.h"
#include "waiting.h"

/* ns between two lines of progress; who waits for less gets none. */
#define PROGRESS_EVERY 1000000000ull

void client_wait(struct client *client, enum client_until until,
                 client_then *then)
{
    uint64_t now = monotonic_now();

    client->then = then;
    client->until = until;
    client->deadline = now + RECORDING_PATIENCE;
    client->next_progress = now + PROGRESS_EVERY;
}

/* A dump and a save do not wait for walkers, which new samples keep busy all
 * the time. */
static bool is_searching(const struct recording *recording)
{
    return recording->guests && recording->guests->searches;
}

static bool is_wait_over(const struct recording *recording,
                         const struct client *client)
{
    switch ( client->until )
    {
    case UNTIL_STARTED: return recording->state != RECORDING_STARTING;
    case UNTIL_STOPPED: return recording->state != RECORDING_STOPPING;
    case UNTIL_FREE:
        return recording->state != RECORDING_STOPPING &&
               recording->state != RECORDING_STARTING;
    default:
        return recording->state != RECORDING_STOPPING &&
               (recording->state != RECORDING_RUNNING ||
                recording->cannot_store || !is_searching(recording) ||
                monotonic_now() >= client->deadline);
    }
}

static uint64_t end_of_wait(const struct recording *recording,
                            const struct client *client)
{
    switch ( recording->state )
    {
    case RECORDING_STARTING: return recording->seek_end;
    case RECORDING_STOPPING: return recording->stop_progress.end;
    default: return client->deadline;
    }
}

static void report(const struct recording *recording, struct client *client)
{
    uint64_t now = monotonic_now();
    char *line SCOPE_FREE = NULL;
    size_t size;
    FILE *out;

    if ( (recording->state == RECORDING_STARTING && !recording->seek_end) ||
         now < client->next_progress )
        return;
    client->next_progress = now + PROGRESS_EVERY;
    out = open_memstream(&line, &size);
    if ( !out )
        return;
    reply_waiting(recording, "progress", end_of_wait(recording, client), out);
    if ( fclose(out) == 0 )
        client_progress(client, line);
}

static void go_on_with_client(struct daemon *daemon, struct client *client,
                              const struct failure *failure)
{
    struct failure own = {0};
    client_then *then = client->then;

    if ( failure )
        own = *failure;
    client->then = NULL;
    then(daemon, client, &own);
    if ( !client->then )
        client_finish(client, &own);
}

static void poll_clients(struct daemon *daemon, const struct failure *failure,
                         bool free)
{
    for ( size_t i = 0; i < CLIENTS_MAX; i++ )
    {
        struct client *client = &daemon->server.clients[i];

        if ( !client->then || (client->until == UNTIL_FREE) != free )
            continue;
        if ( is_wait_over(&daemon->recording, client) )
            go_on_with_client(daemon, client, failure);
        else
            report(&daemon->recording, client);
    }
}

void request_polled(struct daemon *daemon, const struct failure *failure)
{
    /* A start replaces the recording that others are to hear of. */
    poll_clients(daemon, failure, false);
    poll_clients(daemon, failure, true);
    if ( daemon->leaving && daemon->recording.state != RECORDING_STOPPING )
        daemon->ending = true;
}

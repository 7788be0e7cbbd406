/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "requests-kit.h"

void requests_begin(struct requests_kit *kit)
{
    memset(kit, 0, sizeof(*kit));
    kit_begin(&kit->host);
    kit->daemon.xen = &kit->host.xen;
    kit->daemon.handle = kit->host.handle;
    kit->daemon.session_dir = kit->host.dir;
    kit->daemon.recording = kit->host.recording;
    for ( int i = 0; i < CLIENTS_MAX; i++ )
        kit->daemon.server.clients[i].fd = -1;
}

void requests_end(struct requests_kit *kit)
{
    kit->host.recording = kit->daemon.recording;
    kit_end(&kit->host);
}

const char *requests_start_line(const struct requests_kit *kit,
                                const char *fields)
{
    static char line[512];

    snprintf(line, sizeof(line), "start by=somebody session-dir=%s%s",
             kit->host.dir, fields);
    return line;
}

struct client *requests_send(struct requests_kit *kit, int number,
                             const char *request)
{
    struct client *client = &kit->daemon.server.clients[number];
    int ends[2];

    CHECK_EQ(client->fd, -1);
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    kit->ends[number] = ends[0];
    client->fd = ends[1];
    client->reply = open_memstream(&client->reply_text, &client->reply_size);
    snprintf(client->request, sizeof(client->request), "%s", request);
    request_run(&kit->daemon, client);
    return client;
}

void requests_round(struct requests_kit *kit)
{
    struct recording *recording = &kit->daemon.recording;
    struct failure failure = {0};

    if ( !recording_is_open(recording) )
        return;
    recording_poll(recording, &failure);
    if ( failure.status && recording->state == RECORDING_STARTING )
        recording_abandon_start(recording);
    request_polled(&kit->daemon, failure.status ? &failure : NULL);
}

void requests_pass(struct requests_kit *kit, uint64_t ns)
{
    uint64_t until = process_now() + ns;

    while ( process_now() < until )
    {
        process_run_until(process_now() + 10 * MILLISECONDS);
        requests_round(kit);
    }
}

static const char *receive(struct requests_kit *kit, int number, int flags)
{
    ssize_t got = recv(kit->ends[number], kit->answer, sizeof(kit->answer) - 1,
                       flags);

    kit->answer[got > 0 ? got : 0] = '\0';
    return kit->answer;
}

const char *requests_answer(struct requests_kit *kit, int number)
{
    CHECK_EQ(kit->daemon.server.clients[number].fd, -1);
    CHECK(!kit->daemon.server.clients[number].then);
    receive(kit, number, MSG_WAITALL);
    close(kit->ends[number]);
    return kit->answer;
}

const char *requests_heard(struct requests_kit *kit, int number)
{
    CHECK(kit->daemon.server.clients[number].then);
    return receive(kit, number, MSG_DONTWAIT);
}

const char *requests_ask(struct requests_kit *kit, const char *request)
{
    if ( requests_send(kit, 0, request)->then )
        requests_round(kit);
    return requests_answer(kit, 0);
}

const char *requests_start(struct requests_kit *kit, const char *fields)
{
    if ( requests_send(kit, 1, requests_start_line(kit, fields))->then )
        requests_pass(kit, 200 * MILLISECONDS);
    return requests_answer(kit, 1);
}

void requests_check_ok(const char *answer)
{
    size_t length = strlen(answer);

    if ( length < 3 || strcmp(answer + length - 3, "ok\n") )
        test_fail(__FILE__, __LINE__, "answer: %s", answer);
}

void requests_check_error(const char *answer, int status, const char *part)
{
    char head[32];
    const char *error = strstr(answer, "error ");

    snprintf(head, sizeof(head), "error %d ", status);
    if ( !error || strncmp(error, head, strlen(head)) || !strstr(error, part) )
        test_fail(__FILE__, __LINE__, "wanted '%s' and '%s', answer: %s", head,
                  part, answer);
}

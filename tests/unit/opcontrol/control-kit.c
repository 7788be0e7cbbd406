/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "control-kit.h"

static char folder[64];

static struct {
    pthread_t thread;
    int listener;
    bool take;
    const char *answer;
    size_t size;
    char request[128];
} daemon_thread;

const char *control_file(const char *name)
{
    static char paths[4][128];
    static unsigned int next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof(paths[0]), "%s/%s", folder, name);
    return path;
}

void control_begin(void)
{
    strcpy(folder, "/tmp/xenoprof-test-XXXXXX");
    CHECK(mkdtemp(folder));
    CHECK(!setenv("XENOPROF_CONTROL", control_file("control"), 1));
}

void control_end(void)
{
    DIR *entries = opendir(folder);
    const struct dirent *entry;

    CHECK(entries);
    while ( (entry = readdir(entries)) )
        unlinkat(dirfd(entries), entry->d_name, 0);
    closedir(entries);
    CHECK(!rmdir(folder));
}

int control_listen(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s",
             control_file(name));
    CHECK(!bind(listener, (struct sockaddr *)&address, sizeof(address)));
    CHECK(!listen(listener, 4));
    return listener;
}

static void *answer_one(void *argument)
{
    int client = accept(daemon_thread.listener, NULL, NULL);
    char *at = daemon_thread.request;

    (void)argument;
    while ( daemon_thread.take && recv(client, at, 1, 0) == 1 && *at != '\n' )
        if ( at < daemon_thread.request + sizeof(daemon_thread.request) - 1 )
            at++;
    *at = '\0';
    for ( size_t sent = 0; sent < daemon_thread.size; )
    {
        ssize_t more = send(client, daemon_thread.answer + sent,
                            daemon_thread.size - sent, MSG_NOSIGNAL);

        if ( more <= 0 )
            break;
        sent += (size_t)more;
    }
    close(client);
    return NULL;
}

void control_answer(int listener, bool take, const char *answer, size_t size)
{
    daemon_thread.listener = listener;
    daemon_thread.take = take;
    daemon_thread.answer = answer;
    daemon_thread.size = size;
    CHECK(!pthread_create(&daemon_thread.thread, NULL, answer_one, NULL));
}

const char *control_request(void)
{
    CHECK(!pthread_join(daemon_thread.thread, NULL));
    return daemon_thread.request;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "control-kit.h"
#include "opcontrol/commands.h"

#define PROGRESS "progress state=stopping samples=5 bytes=9 guests=1 left=9\n"

static struct daemon_thread {
    pthread_t main, thread;
    int listener;
    char stop[16], hurry[16]; /* what it was asked */
} daemon_thread;

static void take_line(int client, char *line, size_t size)
{
    size_t got = 0;

    while ( got + 1 < size && recv(client, line + got, 1, 0) == 1 &&
            line[got] != '\n' )
        got++;
    line[got] = '\0';
}

static void send_text(int client, const char *text)
{
    if ( send(client, text, strlen(text), MSG_NOSIGNAL) < 0 )
        close(client);
}

/* The user interrupts as soon as there is progress. */
static void *stop_in_a_hurry(void *argument)
{
    int client = accept(daemon_thread.listener, NULL, NULL), other;

    (void)argument;
    take_line(client, daemon_thread.stop, sizeof(daemon_thread.stop));
    send_text(client, PROGRESS);
    pthread_kill(daemon_thread.main, SIGINT);
    other = accept(daemon_thread.listener, NULL, NULL);
    take_line(other, daemon_thread.hurry, sizeof(daemon_thread.hurry));
    send_text(client, "ok\n");
    close(other);
    close(client);
    return NULL;
}

TEST(stop_that_is_interrupted_hurries)
{
    struct failure failure = {0};
    struct sigaction before, after;

    /* In the background of a shell, it is ignored. */
    CHECK_EQ(sigaction(SIGINT, NULL, &before), 0);
    control_begin();
    daemon_thread.main = pthread_self();
    daemon_thread.listener = control_listen("control");
    CHECK(!pthread_create(&daemon_thread.thread, NULL, stop_in_a_hurry, NULL));
    CHECK_EQ(ask_to_stop("stop", &failure), 0);
    CHECK(!pthread_join(daemon_thread.thread, NULL));
    CHECK_TEXT(daemon_thread.stop, "stop");
    CHECK_TEXT(daemon_thread.hurry, "hurry");
    CHECK_EQ(sigaction(SIGINT, NULL, &after), 0);
    CHECK(after.sa_handler == before.sa_handler);
    close(daemon_thread.listener);
    control_end();
}

TEST(stop_that_nobody_interrupts)
{
    static const char answer[] = PROGRESS "error 17 text=no\n";
    struct failure failure = {0};
    int listener;

    control_begin();
    listener = control_listen("control");
    control_answer(listener, true, answer, strlen(answer));
    CHECK_EQ(ask_to_stop("shutdown", &failure), 17);
    CHECK_TEXT(control_request(), "shutdown");
    CHECK_TEXT(failure.text, "no");
    close(listener);
    control_end();
}

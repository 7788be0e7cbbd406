/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control-kit.h"
#include "control/protocol.h"
#include "opcontrol/client.h"

static struct failure failure;
static struct reply reply;

/* Asks for the status, and has it answered so. */
static int ask(const char *answer, size_t size)
{
    int listener, status;

    control_begin();
    listener = control_listen("control");
    control_answer(listener, true, answer, size);
    failure = (struct failure){0};
    status = client_ask("status", &reply, &failure);
    CHECK_TEXT(control_request(), "status");
    CHECK_EQ(failure.status, status);
    close(listener);
    control_end();
    return status;
}

TEST(answer_line_by_line)
{
    static const char answer[] = "session name=a\ndaemon pid=1\nok\n";
    const char *line;

    CHECK_EQ(ask(answer, strlen(answer)), 0);
    line = reply_next(&reply, NULL);
    CHECK_TEXT(line, "session name=a");
    line = reply_next(&reply, line);
    CHECK_TEXT(line, "daemon pid=1");
    CHECK(!reply_next(&reply, line));
    reply_free(&reply);
    CHECK(!reply_next(&reply, NULL));
}

TEST(answer_without_lines)
{
    CHECK_EQ(ask("ok\n", 3), 0);
    CHECK(!reply_next(&reply, NULL));
    reply_free(&reply);
}

/* More than any buffer of one read. */
TEST(answer_of_many_lines)
{
    enum { LINES = 20000 };
    const char *line = NULL;
    char *answer = malloc(LINES * 8 + 4);
    size_t size = 0, count = 0;

    for ( unsigned int i = 0; i < LINES; i++ )
        size += (size_t)sprintf(answer + size, "l n=%u\n", i % 100);
    memcpy(answer + size, "ok\n", 3);
    CHECK_EQ(ask(answer, size + 3), 0);
    while ( (line = reply_next(&reply, line)) )
        CHECK_EQ(line_get_number(line, "n"), count++ % 100);
    CHECK_EQ(count, LINES);
    reply_free(&reply);
    free(answer);
}

TEST(refusals_have_the_daemons_words)
{
    static const char full[] = "warning text=x\nerror 9 text=no%20such%20one\n";

    CHECK_EQ(ask(full, strlen(full)), 9);
    CHECK_TEXT(failure.text, "no such one");
    CHECK_TEXT(reply_next(&reply, NULL), "warning text=x");
    reply_free(&reply);
    CHECK_EQ(ask("error 9\n", 8), 9);
    CHECK_TEXT(failure.text, "the daemon failed and did not say why");
    reply_free(&reply);
}

/* Folders are the next request's alone, also if there are none: they are not
 * there any more when others come. */
TEST(folders_go_with_one_request)
{
    static struct root_folders folders;

    client_attach(&folders);
    CHECK_EQ(ask("ok\n", 3), 0);
    reply_free(&reply);
    folders = (struct root_folders){.count = 1, .fds = {-1}};
    CHECK_EQ(ask("ok\n", 3), 0);
    reply_free(&reply);
}

static struct {
    char lines[64];
    unsigned int woken;
} watched;

static void see_progress(void *self, const char *line)
{
    CHECK(self == &watched);
    CHECK(strlen(watched.lines) + strlen(line) + 2 < sizeof(watched.lines));
    strcat(strcat(watched.lines, line), ";");
}

static void see_something(void *self)
{
    CHECK(self == &watched);
    watched.woken++;
}

/* Only lines of progress; they are no part of the result. */
TEST(progress_is_seen)
{
    static const char answer[] = "progress samples=2\nprogression n=1\n"
                                 "session name=a\nprogress samples=1\nok\n";
    static const struct client_watch watch = {&watched, see_progress,
                                              see_something};
    int listener;

    failure = (struct failure){0};
    control_begin();
    listener = control_listen("control");
    control_answer(listener, true, answer, strlen(answer));
    CHECK_EQ(client_ask_and_watch("stop", &watch, &reply, &failure), 0);
    CHECK_TEXT(control_request(), "stop");
    CHECK_TEXT(watched.lines, "progress samples=2;progress samples=1;");
    CHECK(watched.woken > 0);
    CHECK_TEXT(reply_next(&reply, NULL), "progress samples=2");
    reply_free(&reply);
    close(listener);
    control_end();
}

TEST(request_whose_answer_nobody_wants)
{
    int listener;

    control_begin();
    client_send("hurry");
    listener = control_listen("control");
    control_answer(listener, true, "ok\n", 3);
    client_send("hurry");
    CHECK_TEXT(control_request(), "hurry");
    close(listener);
    control_end();
}

/* A daemon that dies in the middle of an answer has not said ok. */
TEST(answers_without_a_result)
{
    static const char *const answers[] = {
        "",
        "\n",
        "o",
        "okay\n",
        "session name=a\n",
        "session name=a\nses",
        "ok\nsession name=a\n",
        "error\n",
        "error 0 text=x\n",
        "error 256 text=x\n",
        "error -1 text=x\n",
        "error text=x\n",
    };

    for ( size_t i = 0; i < sizeof(answers) / sizeof(*answers); i++ )
    {
        if ( ask(answers[i], strlen(answers[i])) != STATUS_NO_DAEMON )
            test_fail(__FILE__, __LINE__, "'%s' was a result", answers[i]);
        CHECK(strstr(failure.text, "ended before it answered"));
        reply_free(&reply);
    }
}

TEST(daemon_that_does_not_read)
{
    int listener;

    control_begin();
    listener = control_listen("control");
    control_answer(listener, false, "", 0);
    CHECK_EQ(client_ask("status", &reply, &failure), STATUS_NO_DAEMON);
    control_request();
    reply_free(&reply);
    close(listener);
    control_end();
}

TEST(daemon_that_does_not_listen)
{
    char longest[200];

    control_begin();
    CHECK(!client_daemon_runs());
    CHECK_EQ(client_ask("status", &reply, &failure), STATUS_NO_DAEMON);
    CHECK(strstr(failure.text, control_path()));
    CHECK(strstr(failure.text, "No such file"));
    reply_free(&reply);
    /* A socket that a dead daemon left. */
    close(control_listen("control"));
    CHECK(!client_daemon_runs());
    CHECK_EQ(client_ask("status", &reply, &failure), STATUS_NO_DAEMON);
    reply_free(&reply);
    control_end();
    memset(longest, 'l', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    CHECK(!setenv("XENOPROF_CONTROL", longest, 1));
    CHECK(!client_daemon_runs());
    CHECK_EQ(client_ask("status", &reply, &failure), STATUS_NO_DAEMON);
    CHECK(strstr(failure.text, "too long"));
}

TEST(request_that_is_too_long)
{
    char *request = malloc(LINE_MAX_BYTES);
    int listener;

    control_begin();
    listener = control_listen("control");
    CHECK(client_daemon_runs());
    memset(request, 'r', LINE_MAX_BYTES - 1);
    request[LINE_MAX_BYTES - 1] = '\0';
    CHECK_EQ(client_ask(request, &reply, &failure), STATUS_RANGE);
    CHECK(!reply.text);
    close(listener);
    control_end();
    free(request);
}

/* Nothing to wait for, and nothing that somebody else put in its place. */
TEST(end_of_a_daemon_that_has_ended)
{
    control_begin();
    client_wait_for_end();
    CHECK(!mkfifo(control_file("control.lock"), 0600));
    client_wait_for_end();
    control_end();
}

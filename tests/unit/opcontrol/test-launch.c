/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that are scripts of a line. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control-kit.h"
#include "opcontrol/launch.h"

static struct failure failure;

/* Makes a program of that line, which variable names. */
static void make_program(const char *variable, const char *line)
{
    const char *path = control_file("program");
    FILE *file = fopen(path, "we");

    CHECK(file);
    fprintf(file, "#!/bin/sh\n%s\n", line);
    CHECK(!fclose(file));
    CHECK(!chmod(path, 0700));
    CHECK(!setenv(variable, path, 1));
}

static int start(const char *line)
{
    failure = (struct failure){0};
    make_program("XENOPROFD", line);
    return launch_daemon("/some where", &failure);
}

static const char *content(const char *name)
{
    static char text[64];
    FILE *file = fopen(control_file(name), "re");

    if ( !file )
        return NULL;
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    return text;
}

TEST(daemon_that_starts)
{
    control_begin();
    CHECK_EQ(start("printf '%s|' \"$@\" >\"${0%/*}/args\""), 0);
    CHECK_TEXT(content("args"), "--session-dir=/some where|");
    control_end();
}

/* It has printed why: nobody says it again. */
TEST(daemon_that_cannot_start)
{
    control_begin();
    CHECK_EQ(start("exit 7"), 7);
    CHECK_EQ(failure.status, 7);
    CHECK_TEXT(failure.text, "");
    control_end();
}

TEST(daemon_that_is_killed_as_it_starts)
{
    control_begin();
    CHECK_EQ(start("kill -9 $$"), STATUS_NO_DAEMON);
    CHECK(strstr(failure.text, "program was ended by signal 9"));
    control_end();
}

TEST(daemon_that_cannot_be_run)
{
    control_begin();
    CHECK(!setenv("XENOPROFD", control_file("nobody"), 1));
    CHECK_EQ(launch_daemon("/x", &failure), STATUS_NO_DAEMON);
    CHECK(strstr(failure.text, "nobody cannot be run: No such file"));
    close(open(control_file("nobody"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    CHECK_EQ(launch_daemon("/x", &failure), STATUS_NO_DAEMON);
    CHECK(strstr(failure.text, "nobody cannot be run: Permission denied"));
    control_end();
}

TEST(daemon_that_listens_already)
{
    int listener;

    control_begin();
    listener = control_listen("control");
    CHECK_EQ(start("exit 7"), 0);
    close(listener);
    control_end();
}

static int start_push(const char *line)
{
    failure = (struct failure){0};
    make_program("XENOPROF_PUSH", line);
    return launch_push("/some where", "otlp+https://h", &failure);
}

TEST(push_that_starts)
{
    control_begin();
    CHECK_EQ(start_push("printf '%s|' \"$@\" >\"${0%/*}/args\""), 0);
    CHECK_TEXT(content("args"),
               "--session-dir=/some where|--url=otlp+https://h|");
    control_end();
}

/* It has printed why: nobody says it again.  One that works already is none of
 * ours, and no failure. */
TEST(push_that_cannot_start)
{
    control_begin();
    CHECK_EQ(start_push("exit 7"), 7);
    CHECK_TEXT(failure.text, "");
    CHECK_EQ(start_push("exit 11"), 0);
    CHECK(!setenv("XENOPROF_PUSH", control_file("nobody"), 1));
    CHECK(launch_push("/x", "y", &failure));
    CHECK(strstr(failure.text, "nobody cannot be run: No such file"));
    control_end();
}

/* Returns what start() printed on stderr; valid until the next call. */
static const char *start_and_read(const char *line, int wanted)
{
    static char text[256];
    int before = dup(STDERR_FILENO), file = memfd_create("stderr", 0);
    ssize_t got;

    CHECK(before >= 0 && file >= 0);
    fflush(stderr);
    dup2(file, STDERR_FILENO);
    start(line);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    CHECK_EQ(failure.status, wanted);
    got = pread(file, text, sizeof(text) - 1, 0);
    CHECK(got >= 0);
    text[got] = '\0';
    close(file);
    return text;
}

/* Returns what is said when systemctl(1) is that line; valid until the next
 * call. */
static const char *start_agent(const char *line)
{
    static char text[256];
    FILE *file = fmemopen(text, sizeof(text), "w");

    CHECK(file);
    memset(text, 0, sizeof(text));
    make_program("XENOPROF_SYSTEMCTL", line);
    CHECK(!setenv("XENOPROF_AGENT", control_file("agent"), 1));
    launch_agent(file);
    CHECK(!fclose(file));
    return text;
}

TEST(agent_that_starts)
{
    const char *said;

    control_begin();
    said = start_agent("printf '%s|' \"$@\" >\"${0%/*}/args\"");
    CHECK(strstr(said, "opagent is started") && strstr(said, "--no-agent"));
    CHECK_EQ(strcspn(said, "\n") + 1, strlen(said)); /* in one line */
    CHECK_TEXT(content("args"), "start|opagent.service|");
    control_end();
}

TEST(agent_that_cannot_start)
{
    control_begin();
    CHECK(strstr(start_agent("exit 1"), "opagent cannot be started"));
    CHECK(strstr(start_agent("kill -9 $$"), "opagent cannot be started"));
    CHECK_TEXT(start_agent("exit 5"), ""); /* there is no such unit */
    control_end();
}

/* It need not be the unit's. */
TEST(agent_that_answers_already)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int listener = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    control_begin();
    strcpy(address.sun_path, control_file("agent"));
    CHECK(listener >= 0 &&
          !bind(listener, (const struct sockaddr *)&address, sizeof(address)));
    CHECK(!listen(listener, 1));
    CHECK_TEXT(start_agent("touch \"${0%/*}/args\""), "");
    CHECK(!content("args"));
    close(listener);
    control_end();
}

TEST(daemon_says_why_it_cannot_start)
{
    control_begin();
    CHECK_TEXT(start_and_read("echo xenoprofd: no >&2; exit 7", 7),
               "xenoprofd: no\n");
    CHECK_TEXT(start_and_read("echo bad >&2; kill -9 $$", STATUS_NO_DAEMON),
               "bad\n");
    control_end();
}

/* Two xenopctl start a daemon: one of the daemons finds the other's lock.  That
 * is nobody's trouble. */
TEST(daemon_of_another_xenopctl)
{
    int listener;

    control_begin();
    listener = control_listen("faster");
    CHECK_TEXT(start_and_read("mv \"${0%/*}/faster\" \"${0%/*}/control\"; "
                              "echo another >&2; exit 11",
                              0),
               "");
    close(listener);
    control_end();
}

/* One that is about to end has its lock, and does not listen any more. */
TEST(daemon_that_ends_meanwhile)
{
    control_begin();
    CHECK_TEXT(start_and_read("echo . >>\"${0%/*}/args\"; "
                              "[ $(wc -l <\"${0%/*}/args\") = 3 ] || "
                              "{ echo another >&2; exit 11; }",
                              0),
               "");
    CHECK_TEXT(content("args"), ".\n.\n.\n");
    control_end();
}

/* One that never ends: it is said once. */
TEST(daemon_that_has_the_lock_for_good)
{
    control_begin();
    CHECK_EQ(STATUS_BUSY, 11);
    CHECK_TEXT(start_and_read("echo another >&2; exit 11", STATUS_BUSY),
               "another\n");
    CHECK_TEXT(failure.text, "");
    control_end();
}

TEST(report_takes_our_place)
{
    int status;
    pid_t pid;

    control_begin();
    make_program("XENOPREPORT", "printf '%s|' \"$@\" >\"${0%/*}/args\"");
    pid = fork();
    if ( !pid )
        _exit(launch_report("/dir", &failure));
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
    CHECK_TEXT(content("args"), "--session=/dir/current|");
    CHECK(!setenv("XENOPREPORT", control_file("nobody"), 1));
    CHECK_EQ(launch_report("/dir", &failure), STATUS_FAILED);
    CHECK(strstr(failure.text, "nobody cannot be run"));
    control_end();
}

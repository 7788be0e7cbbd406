/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs that are scripts of a line. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

/* Two xenopctl start a daemon: one of the daemons finds the other's lock. */
TEST(daemon_of_another_xenopctl)
{
    int listener;
    char line[80];

    control_begin();
    snprintf(line, sizeof(line), "exit %d", STATUS_BUSY);
    CHECK_EQ(start(line), STATUS_BUSY);
    listener = control_listen("faster");
    snprintf(line, sizeof(line),
             "mv \"${0%%/*}/faster\" \"${0%%/*}/control\"; exit %d",
             STATUS_BUSY);
    CHECK_EQ(start(line), 0);
    close(listener);
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

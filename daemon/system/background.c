/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Two processes, a pipe between them: the first waits and exits. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "background.h"
#include "say.h"

static void wait_for_daemon(int fd)
{
    struct failure failure = {0};
    char *at = (char *)&failure;
    size_t left = sizeof(failure);

    while ( left )
    {
        ssize_t got = read(fd, at, left);

        if ( got < 0 && errno == EINTR )
            continue;
        if ( got <= 0 )
            break;
        at += got;
        left -= (size_t)got;
    }
    if ( left )
        fail(&failure, STATUS_NO_DAEMON,
             "the daemon died while it was starting; the system log may say "
             "why");
    failure.text[FAILURE_MAX - 1] = '\0';
    if ( failure.status )
        say_stderr(failure.text);
    _exit(failure.status);
}

/* In the daemon, returns the descriptor for background_tell(), or -1 with a
 * failure. */
static int background_begin(struct failure *failure)
{
    int ends[2];
    pid_t pid = -1;

    /* What somebody left open, a lock for example, is not ours to keep. */
    close_range(STDERR_FILENO + 1, ~0u, 0);
    if ( pipe2(ends, O_CLOEXEC) == 0 )
        pid = fork();
    if ( pid < 0 )
    {
        fail(failure, STATUS_NO_DAEMON, "no process can be made: %s",
             strerror(errno));
        return -1;
    }
    if ( pid > 0 )
    {
        close(ends[1]);
        wait_for_daemon(ends[0]);
    }
    close(ends[0]);
    setsid();
    if ( chdir("/") )
        _exit(STATUS_NO_DAEMON);
    return ends[1];
}

static void let_go_of_terminal(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    for ( int fd = 0; null >= 0 && fd <= 2; fd++ )
        dup2(null, fd);
    if ( null > 2 )
        close(null);
}

void background_tell(int fd, const struct failure *failure)
{
    struct failure ready = {0};
    ssize_t sent;

    if ( fd < 0 )
        return;
    let_go_of_terminal();
    sent = write(fd, failure ? failure : &ready, sizeof(ready));
    (void)sent;
    close(fd);
}

void background_run(background_work *work, const void *arguments,
                    bool foreground)
{
    struct failure failure = {0};
    int parent = foreground ? -1 : background_begin(&failure);

    say_open(foreground);
    if ( !failure.status )
        work(arguments, parent, &failure);
    if ( failure.status )
    {
        say_error("%s", failure.text);
        background_tell(parent, &failure);
    }
    /* Not exit(): libraries end their threads with calls that the filter
     * does not allow. */
    fflush(NULL);
    _exit(failure.status);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "pager.h"

#include "base/memory-limit.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static struct pager *running; /* NULL: none */

static const char *wanted_pager(void)
{
    const char *pager = getenv("PAGER");

    if ( !pager )
        return "less";
    return *pager && strcmp(pager, "cat") ? pager : NULL;
}

static void become_pager(const char *command, int input)
{
    memory_limit(0);
    dup2(input, STDIN_FILENO);
    setenv("LESS", "FRX", 0);
    setenv("LV", "-c", 0);
    if ( strpbrk(command, " \t|&;<>()$`\\\"'*?[#~=%") )
        execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    else
        execlp(command, command, (char *)NULL);
}

/* The child reports on a pipe that closes by itself if the pager runs. */
static bool start(struct pager *pager, const char *command, int input,
                  const int failed[2])
{
    int error = 0;

    pager->process = fork();
    if ( pager->process == 0 )
    {
        become_pager(command, input);
        error = errno;
        _exit(write(failed[1], &error, sizeof(error)) < 0);
    }
    close(failed[1]);
    if ( pager->process > 0 && read(failed[0], &error, sizeof(error)) <= 0 )
        return true;
    if ( pager->process > 0 )
        waitpid(pager->process, NULL, 0);
    pager->process = 0;
    return false;
}

void pager_begin(struct pager *pager, bool wanted)
{
    const char *command = wanted_pager();
    int data[2], failed[2];

    pager->process = 0;
    if ( !wanted || !command || !isatty(STDOUT_FILENO) )
        return;
    if ( pipe2(data, O_CLOEXEC) )
        return;
    if ( pipe2(failed, O_CLOEXEC) )
    {
        close(data[0]);
        close(data[1]);
        return;
    }
    if ( start(pager, command, data[0], failed) )
    {
        running = pager;
        dup2(data[1], STDOUT_FILENO);
        /* Keys are the pager's; it may be left before the report's end. */
        signal(SIGINT, SIG_IGN);
        signal(SIGPIPE, SIG_IGN);
    }
    close(failed[0]);
    close(data[0]);
    close(data[1]);
}

void pager_end(struct pager *pager)
{
    running = NULL;
    fclose(stdout);
    while ( waitpid(pager->process, NULL, 0) < 0 && errno == EINTR )
        continue;
}

void pager_give_up(void)
{
    if ( running )
        pager_end(running);
}

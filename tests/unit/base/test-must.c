/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What ends where there is no memory does so once, whoever asked for it. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/failure.h"
#include "base/must.h"
#include "tests/harness.h"

#define SENTENCE "out of memory: close something, or ask for less at a time"

/* Runs in a process of its own.  Returns its status, and what it wrote to
 * standard error. */
static int run(void (*act)(void), char said[256])
{
    int pipes[2], status;
    size_t used = 0;
    ssize_t got;
    pid_t child;

    CHECK(!pipe(pipes));
    child = fork();
    CHECK(child >= 0);
    if ( !child )
    {
        dup2(pipes[1], STDERR_FILENO);
        act();
        _exit(0);
    }
    close(pipes[1]);
    while ( (got = read(pipes[0], said + used, 255 - used)) > 0 )
        used += (size_t)got;
    said[used] = '\0';
    close(pipes[0]);
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void have_all(void)
{
    char *text = must(strdup("text"));
    char *more = must_text("%s %d", text, 1);

    must_do(!strcmp(more, "text 1"));
    free(more);
    free(text);
}

static void have_nothing(void)
{
    must((char *)NULL);
}

static void do_nothing(void)
{
    must_do(false);
}

static void end(const char *sentence)
{
    usleep(20000); /* for the other threads */
    fprintf(stderr, "end: %s\n", sentence);
}

static void *lack(void *argument)
{
    (void)argument;
    no_memory();
}

static void lack_in_all_threads(void)
{
    pthread_t thread[4];

    no_memory_ends(end);
    for ( size_t i = 0; i < 4; i++ )
        if ( pthread_create(&thread[i], NULL, lack, NULL) )
            _exit(1);
    for ( ;; )
        pause();
}

TEST(what_has_memory_goes_on)
{
    char said[256];

    CHECK_EQ(run(have_all, said), 0);
    CHECK_TEXT(said, "");
}

TEST(what_has_none_ends_with_one_sentence)
{
    char said[256];

    CHECK_EQ(run(have_nothing, said), STATUS_FAILED);
    CHECK_TEXT(said, SENTENCE "\n");
    CHECK_EQ(run(do_nothing, said), STATUS_FAILED);
    CHECK_TEXT(said, SENTENCE "\n");
}

TEST(one_of_many_threads_ends_it)
{
    char said[256];

    CHECK_EQ(run(lack_in_all_threads, said), STATUS_FAILED);
    CHECK_TEXT(said, "end: " SENTENCE "\n");
}

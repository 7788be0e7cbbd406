/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --record=SECONDS: start, wait, stop, report; --archive=FILE. */
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include "commands.h"
#include "launch.h"
#include "status.h"

static volatile sig_atomic_t recording_interrupted;

static void interrupt_recording(int number)
{
    (void)number;
    recording_interrupted = 1;
}

static void show_recorded_seconds(unsigned int second, unsigned int seconds)
{
    struct failure failure = {0};
    struct status status = {0};
    struct reply reply;

    if ( client_ask("status", &reply, &failure) == 0 )
        status_from_reply(&status, &reply);
    reply_free(&reply);
    fprintf(stderr, "%s%u of %u s, %llu samples read, %llu lost%s",
            isatty(STDERR_FILENO) ? "\r" : "xenopctl: ", second, seconds,
            (unsigned long long)status.counters.read,
            (unsigned long long)status.counters.lost,
            isatty(STDERR_FILENO) ? "  " : "\n");
    status_free(&status);
}

/* Waits until the time is over, or the user interrupts. */
static void wait_and_show(unsigned int seconds)
{
    struct sigaction action = {.sa_handler = interrupt_recording};
    bool terminal = isatty(STDERR_FILENO);
    struct timespec until;

    sigaction(SIGINT, &action, NULL);
    clock_gettime(CLOCK_MONOTONIC, &until);
    for ( unsigned int second = 1; second <= seconds && !recording_interrupted;
          second++ )
    {
        until.tv_sec++;
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        if ( terminal || second == seconds || second % 10 == 0 )
            show_recorded_seconds(second, seconds);
    }
    if ( terminal )
        fputc('\n', stderr);
}

int command_record(const struct arguments *arguments, struct failure *failure)
{
    if ( arguments->no_module )
        return record_without_module(arguments, failure);
    if ( command_start(arguments, failure) )
        return failure->status;
    wait_and_show(arguments->seconds);
    if ( command_stop(arguments, failure) )
        return failure->status;
    return launch_report(arguments->start->session_dir, failure);
}

int command_archive(const struct arguments *arguments, struct failure *failure)
{
    const struct archive_launch archive = {.file = arguments->name,
                                           .cut = arguments->cut,
                                           .anonymize = arguments->anonymize};

    return launch_archive(arguments->start->session_dir, &archive, failure);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages to stderr or the system log. */
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

#include "say.h"

static bool has_stderr;

void say_open(bool to_stderr)
{
    has_stderr = to_stderr;
    openlog("xenoprofd", LOG_PID | LOG_NDELAY, LOG_DAEMON);
}

static void say(int priority, const char *format, va_list args)
{
    char text[2048];

    vsnprintf(text, sizeof(text), format, args);
    if ( has_stderr )
        fprintf(stderr, "xenoprofd: %s\n", text);
    else
        syslog(priority, "%s", text);
}

void say_error(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(LOG_ERR, format, args);
    va_end(args);
}

void say_note(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say(LOG_INFO, format, args);
    va_end(args);
}

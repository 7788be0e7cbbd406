/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages to stderr or the system log, names in them as text_clean() spells
 * them. */
#include <stdarg.h>
#include <stdio.h>
#include <syslog.h>

#include "base/scope.h"
#include "base/text.h"
#include "say.h"

static bool has_stderr;
static const char *speaker = "xenoprofd";

void say_as(const char *name)
{
    speaker = name;
}

void say_open(bool to_stderr)
{
    has_stderr = to_stderr;
    openlog(speaker, LOG_PID | LOG_NDELAY, LOG_DAEMON);
}

void say_stderr(const char *text)
{
    fprintf(stderr, "%s: ", speaker);
    text_print(stderr, text, 0);
    fputc('\n', stderr);
}

static void say_formatted(int priority, const char *format, va_list args)
{
    char text[2048];
    char *clean SCOPE_FREE = NULL;

    vsnprintf(text, sizeof(text), format, args);
    if ( has_stderr )
    {
        say_stderr(text);
        return;
    }
    clean = text_clean(text);
    if ( clean )
        syslog(priority, "%s", clean);
}

void say_error(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_formatted(LOG_ERR, format, args);
    va_end(args);
}

void say_note(const char *format, ...)
{
    va_list args;

    va_start(args, format);
    say_formatted(LOG_INFO, format, args);
    va_end(args);
}

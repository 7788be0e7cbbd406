/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "must.h"

#include "failure.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

static void (*end_by)(const char *sentence);
static bool ending;

void no_memory_ends(void (*end)(const char *sentence))
{
    end_by = end;
}

void no_memory(void)
{
    struct failure failure;

    /* Another thread is at it. */
    while ( __atomic_exchange_n(&ending, true, __ATOMIC_RELAXED) )
        pause();
    fail_memory(&failure);
    if ( end_by )
        end_by(failure.text);
    else
        fprintf(stderr, "%s\n", failure.text);
    _exit(failure.status);
}

char *must_text(const char *format, ...)
{
    va_list arguments;
    char *text;
    int written;

    va_start(arguments, format);
    written = vasprintf(&text, format, arguments);
    va_end(arguments);
    must_do(written >= 0);
    return text;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A failure's sentence is cut where it does not fit, never written beyond. */
#include "failure.h"

#include "memory-limit.h"

#include <stdio.h>

int fail_list(struct failure *failure, int status, const char *format,
              va_list arguments)
{
    failure->status = status;
    vsnprintf(failure->text, sizeof(failure->text), format, arguments);
    return status;
}

int fail(struct failure *failure, int status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fail_list(failure, status, format, arguments);
    va_end(arguments);
    return status;
}

enum exit_status fail_memory(struct failure *failure)
{
    if ( memory_limit_now() )
        return fail(failure, STATUS_FAILED,
                    "this takes more than the %llu MiB that it may use: ask "
                    "for less at a time, or allow more with --memory",
                    (unsigned long long)(memory_limit_now() >> 20));
    return fail(failure, STATUS_FAILED,
                "out of memory: close something, or ask for less at a time");
}

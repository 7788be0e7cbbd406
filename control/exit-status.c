/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdarg.h>
#include <stdio.h>

#include "exit-status.h"

int fail(struct failure *failure, enum exit_status status, const char *format,
         ...)
{
    va_list args;

    failure->status = status;
    va_start(args, format);
    vsnprintf(failure->text, sizeof(failure->text), format, args);
    va_end(args);
    return status;
}

const char *exit_status_text(int status)
{
    switch ( status )
    {
#define EXIT_STATUS(number, NAME, text)                                        \
    case number:                                                               \
        return text;
#include "exit-status.def"
#undef EXIT_STATUS
    default: return NULL;
    }
}

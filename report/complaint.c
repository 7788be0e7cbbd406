/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "complaint.h"

#include <stdarg.h>
#include <stdio.h>

enum report_status complain(struct complaint *complaint,
                            enum report_status status, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(complaint->text, sizeof(complaint->text), format, arguments);
    va_end(arguments);
    complaint->status = status;
    return status;
}

enum report_status complain_memory(struct complaint *complaint)
{
    return complain(complaint, REPORT_FAILED,
                    "out of memory: close something, or report a part of the "
                    "session with --filter=time=START..END");
}

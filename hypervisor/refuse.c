/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <xenoprof/door.h>

#include "refuse.h"

static char message[XENOPROF_MESSAGE_MAX];

int refuse(enum error error, const char *format, ...)
{
    __builtin_va_list arguments;
    struct text text;

    text_begin(&text, message, sizeof(message));
    __builtin_va_start(arguments, format);
    text_add_list(&text, format, arguments);
    __builtin_va_end(arguments);
    return -(int)error;
}

void refuse_nothing(void)
{
    memset(message, 0, sizeof(message));
}

const char *refuse_message(void)
{
    return message;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text in a fixed buffer, and the sentence of a refusal.
 */
#include <xenoprof/door.h>

#include "message.h"

static char message[XENOPROF_MESSAGE_MAX];

void text_begin(struct text *text, char *start, unsigned int size)
{
    text->start = start;
    text->size = size;
    text->used = 0;
    start[0] = 0;
}

static void add_char(struct text *text, char c)
{
    if ( text->used + 1 >= text->size )
        return;
    text->start[text->used++] = c;
    text->start[text->used] = 0;
}

static void add_string(struct text *text, const char *string)
{
    while ( *string )
        add_char(text, *string++);
}

static void add_number(struct text *text, uint64_t number, unsigned int base)
{
    char digits[20];
    unsigned int count = 0;

    do
    {
        digits[count++] = "0123456789abcdef"[number % base];
        number /= base;
    } while ( number );
    while ( count )
        add_char(text, digits[--count]);
}

static void add_list(struct text *text, const char *format,
                     __builtin_va_list arguments)
{
    for ( ; *format; format++ )
    {
        if ( *format != '%' )
        {
            add_char(text, *format);
            continue;
        }
        switch ( *++format )
        {
        case 's':
            add_string(text, __builtin_va_arg(arguments, const char *));
            break;
        case 'u':
            add_number(text, __builtin_va_arg(arguments, unsigned int), 10);
            break;
        case 'x':
            add_number(text, __builtin_va_arg(arguments, unsigned int), 16);
            break;
        case 'l':
            format++;
            add_number(text, __builtin_va_arg(arguments, unsigned long),
                       *format == 'x' ? 16 : 10);
            break;
        default: return;
        }
    }
}

void text_add(struct text *text, const char *format, ...)
{
    __builtin_va_list arguments;

    __builtin_va_start(arguments, format);
    add_list(text, format, arguments);
    __builtin_va_end(arguments);
}

int refuse(enum error error, const char *format, ...)
{
    __builtin_va_list arguments;
    struct text text;

    text_begin(&text, message, sizeof(message));
    __builtin_va_start(arguments, format);
    add_list(&text, format, arguments);
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text in a fixed buffer, for messages and the door's status leaf.
 */
#ifndef XENOPROF_HYPERVISOR_TEXT_H
#define XENOPROF_HYPERVISOR_TEXT_H

#include "port.h"

struct text {
    char *start;
    unsigned int size; /* with the final zero; at least 1 */
    unsigned int used; /* without it; never more than size - 1 */
};

/* An empty text in size bytes at start, which must outlive it. */
void text_begin(struct text *text, char *start, unsigned int size);

/* Append; what does not fit is cut off.  %s %u %lu and %x only. */
void text_add(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void text_add_list(struct text *text, const char *format,
                   __builtin_va_list arguments)
    __attribute__((format(printf, 2, 0)));

#endif

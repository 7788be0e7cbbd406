/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Text for people: in a fixed buffer, and the sentence that says why the last
 * command was refused.
 */
#ifndef XENOPROF_HYPERVISOR_MESSAGE_H
#define XENOPROF_HYPERVISOR_MESSAGE_H

#include "core.h"
#include "port.h"

struct text {
    char *start;
    unsigned int size; /* with the final zero; at least 1 */
    unsigned int used; /* without it; never more than size - 1 */
};

/* Begins an empty text in size bytes at start, which must outlive it. */
void text_begin(struct text *text, char *start, unsigned int size);

/* Appends; what does not fit is cut off.  %s %u %lu %x and %lx only. */
void text_add(struct text *text, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Keeps the sentence of a refusal; returns -error. [command] */
int refuse(enum error error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Forgets it: the next command begins. [command] */
void refuse_nothing(void);
/* Returns it, or an empty string. */
const char *refuse_message(void);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a failure travels: the layer that knows what went wrong and what to do
 * about it writes one sentence and returns the status; everybody above only
 * hands the status up.
 */
#ifndef XENOPROF_BASE_FAILURE_H
#define XENOPROF_BASE_FAILURE_H

#include <stdarg.h>

#define FAILURE_MAX 2048

/* What our programs exit with.  The library has its own statuses. */
enum exit_status {
#define EXIT_STATUS(number, NAME, programs, text) STATUS_##NAME = number,
#include "exit-status.def"
#undef EXIT_STATUS
};

struct failure {
    int status;             /* of the last failure; 0: none so far */
    char text[FAILURE_MAX]; /* no newline */
};

/* Each sets status and text, replacing a failure that is there already, and
 * returns status, so that a function can end with it. */
int fail(struct failure *failure, int status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
int fail_list(struct failure *failure, int status, const char *format,
              va_list arguments) __attribute__((format(printf, 3, 0)));
/* STATUS_FAILED, and the sentence that needs no words of its own. */
enum exit_status fail_memory(struct failure *failure);

#endif

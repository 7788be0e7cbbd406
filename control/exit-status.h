/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Exit statuses, and the one sentence that goes with a failure.
 */
#ifndef XENOPROF_CONTROL_EXIT_STATUS_H
#define XENOPROF_CONTROL_EXIT_STATUS_H

#define FAILURE_MAX 2048

enum exit_status {
#define EXIT_STATUS(number, NAME, text) STATUS_##NAME = number,
#include "exit-status.def"
#undef EXIT_STATUS
};

struct failure {
    int status; /* enum exit_status; 0: none so far */
    char text[FAILURE_MAX];
};

/* Sets both; a failure that is there already is replaced.  Returns status, so
 * that a function can end with it. */
int fail(struct failure *failure, enum exit_status status, const char *format,
         ...) __attribute__((format(printf, 3, 4)));

/* "not in dom0" for 4; NULL for a number that is not in the list. */
const char *exit_status_text(int status);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A list of needs: each with yes or no, and why or what helps. */
#ifndef XENOPROF_MODULE_ANSWER_H
#define XENOPROF_MODULE_ANSWER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/failure.h"

/* The list; all but the first two begin as 0. */
struct answer_list {
    FILE *out;
    size_t width;         /* of the screen; 0: lines are not wrapped */
    unsigned int missing; /* needs that are not met */
    unsigned int notes;   /* what is not as good as it could be */
};

/* The answer to one question; detail is printed in either case. */
struct answer {
    bool fine;
    bool advice; /* where it is not fine, that is a note */
    char detail[FAILURE_MAX + 64];
};

void answer_say(struct answer *answer, bool fine, const char *detail);

/* Prints a line with yes, note or no, and counts it. */
void answer_print(struct answer_list *answers, const struct answer *answer,
                  const char *need);

/* Says behind the last line, and an empty one, whether this host can be
 * profiled; not of one whose needs are not met, which is a failure. */
void answers_conclude(const struct answer_list *answers);

#endif /* XENOPROF_MODULE_ANSWER_H */

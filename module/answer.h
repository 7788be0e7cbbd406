/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A line of a list of needs: the need, yes or no, and why or what helps. */
#ifndef XENOPROF_MODULE_ANSWER_H
#define XENOPROF_MODULE_ANSWER_H

#include <stdbool.h>
#include <stdio.h>

#include "base/failure.h"

/* The answer to one question; detail is printed in either case. */
struct answer {
    bool fine;
    char detail[FAILURE_MAX + 64];
};

void answer_say(struct answer *answer, bool fine, const char *detail);

void answer_print(const struct answer *answer, const char *need, FILE *out);

#endif /* XENOPROF_MODULE_ANSWER_H */

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each distinct text once, known by a number, so that labels are compared as
 * numbers.  Number 0 is the text that is not known (NULL).
 */
#ifndef XENOPROF_REPORT_MODEL_NAMES_H
#define XENOPROF_REPORT_MODEL_NAMES_H

#include "table.h"

#include <stdbool.h>

struct names {
    struct table table;
};

void names_init(struct names *names);
void names_free(struct names *names);

/* The number of text (may be NULL); false if there is no memory. */
bool names_add(struct names *names, const char *text, uint32_t *ret);
/* The number of text if it is there; it is not NULL. */
bool names_find(const struct names *names, const char *text, uint32_t *ret);
/* The text, owned by names; NULL for 0. */
const char *names_text(const struct names *names, uint32_t number);

#endif

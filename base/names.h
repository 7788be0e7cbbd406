/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Each distinct text once, known by a number, so that labels are compared as
 * numbers.  Number 0 is the text that is not known (NULL).
 */
#ifndef XENOPROF_BASE_NAMES_H
#define XENOPROF_BASE_NAMES_H

#include <stdbool.h>

#include "id-table.h"
#include "vector.h"

struct names {
    VECTOR(char *); /* number - 1 */
    struct id_table ids;
};

void names_init(struct names *names);
void names_free(struct names *names);

/* Puts the number of text (may be NULL) into *ret.  Returns false if there is
 * no memory. */
bool names_add(struct names *names, const char *text, uint32_t *ret);
/* Returns true and the number of text, which is not NULL, or false and 0 if
 * it is not there. */
bool names_find(const struct names *names, const char *text, uint32_t *ret);
/* Returns the text, owned by names, or NULL for 0. */
const char *names_text(const struct names *names, uint32_t number);

#endif

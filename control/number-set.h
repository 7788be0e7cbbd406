/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sets of small numbers as people write them: 0-3,7
 */
#ifndef XENOPROF_CONTROL_NUMBER_SET_H
#define XENOPROF_CONTROL_NUMBER_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NUMBER_SET_MAX 4096

struct number_set {
    uint64_t bits[NUMBER_SET_MAX / 64];
};

/* Returns false if the whole of text is not one decimal number from low to
 * high. */
bool number_parse(const char *text, uint64_t low, uint64_t high, uint64_t *ret);

/* Returns false if text is not a list of ranges of numbers below limit. */
bool number_set_parse(const char *text, unsigned int limit,
                      struct number_set *ret);

bool number_set_has(const struct number_set *set, unsigned int number);
void number_set_add(struct number_set *set, unsigned int number);
bool number_set_empty(const struct number_set *set);

/* Writes the shortest list, ascending.  Returns false if it does not fit. */
bool number_set_format(const struct number_set *set, char *text, size_t size);

#endif

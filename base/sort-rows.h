/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sorts many rows of a few words without comparing them: the time it takes
 * depends on how many there are, not on what is in them.
 */
#ifndef XENOPROF_BASE_SORT_ROWS_H
#define XENOPROF_BASE_SORT_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Sorts count rows of width words each by their first words words, of which the
 * first counts most; rows with the same stay in their order.  Takes as much
 * memory as the rows have, if they are not few.  Returns false if there is
 * none; the rows are then as before. */
bool sort_rows(uint32_t *rows, size_t count, unsigned int width,
               unsigned int words);
/* The same with memory that is there: for as many rows. */
void sort_rows_with(uint32_t *rows, uint32_t *spare, size_t count,
                    unsigned int width, unsigned int words);

#endif

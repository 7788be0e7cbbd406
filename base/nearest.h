/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The name that a misspelled word was meant to be:
 *
 *   struct nearest nearest = {.word = word};
 *
 *   for ( each name )
 *       nearest_offer(&nearest, name);
 *   if ( nearest.name )
 *       ... "did you mean %s?"
 */
#ifndef XENOPROF_BASE_NEAREST_H
#define XENOPROF_BASE_NEAREST_H

#include <stddef.h>

/* Longer words and names are like nothing. */
#define NEAREST_MAX 64u

struct nearest {
    const char *word;
    const char *name; /* NULL while none is like the word */
    size_t distance;  /* between them */
};

/*
 * Takes the name if it is more like the word than what was offered before.  A
 * name is like a word if it becomes the word by few steps, one for each three
 * letters of it: a letter more, less or another, or two that change places.
 */
void nearest_offer(struct nearest *nearest, const char *name);

#endif

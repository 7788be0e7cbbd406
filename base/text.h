/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that others chose (domain names, symbols, files), made fit for a
 * terminal: what would move the cursor, change colours or turn the line round
 * comes out as an escape that can be read, and columns are counted as they
 * are seen.  All that our programs print of others goes through here.
 */
#ifndef XENOPROF_BASE_TEXT_H
#define XENOPROF_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A copy that can be printed in this locale; control characters, bytes that
 * are not characters, and characters without a shape are \xNN.  malloc'ed, NULL
 * if there is no memory. */
char *text_clean(const char *text);

/* Whether a character of Unicode's has no shape of its own but changes how
 * others are shown. */
bool text_shapeless(uint32_t character);

/* Decodes the character at text, of UTF-8 whatever the locale.  Returns how
 * many bytes it has; 0 if they are none, or at its end are missing. */
unsigned int text_utf8(const unsigned char *text, uint32_t *ret);

/* Prints any text as text_clean() spells it, all of it, and blanks behind it up
 * to width columns.  Takes no memory. */
void text_print(FILE *file, const char *text, size_t width);

/* Columns that a clean text takes. */
size_t text_width(const char *text);

/* Bytes of the longest part at the beginning of a clean text that takes at
 * most width columns. */
size_t text_head(const char *text, size_t width);

/* Print a clean text in exactly width columns: filled up with blanks (before
 * it if right), or with its middle cut out, but not a path's last name. */
void text_fit(FILE *file, const char *text, size_t width, int right);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that others chose, made fit for an XML file: whatever a guest's name
 * is, the result is UTF-8 that XML allows, on one line, and does not change the
 * direction of the text around it.  Independent of the locale, since files are
 * read elsewhere.
 */
#ifndef XENOPROF_REPORT_PICTURE_MARKUP_H
#define XENOPROF_REPORT_PICTURE_MARKUP_H

#include <stddef.h>
#include <stdio.h>

/* Returns a copy in which control characters and bytes that are not UTF-8 are
 * \xNN, and characters without a shape (directions, joiners, tags) \u{NNNN};
 * malloc'ed. */
char *markup_clean(const char *text);

/* Returns the number of characters in a clean text. */
size_t markup_length(const char *clean);

/* Print at most `most` characters of a clean text, with <, >, &, " and ' as
 * entities; two dots end a text that is cut. */
void markup_put(FILE *file, const char *clean, size_t most);

#define MARKUP_ALL ((size_t)-1)

#endif

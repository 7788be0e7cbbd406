/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts that others chose, made fit for an XML file: whatever a guest calls
 * itself, what comes out is UTF-8 that XML allows, and shows as one line that
 * does not turn its neighbours round.  Independent of the locale, since a
 * file is read elsewhere.
 */
#ifndef XENOPROF_REPORT_PICTURE_MARKUP_H
#define XENOPROF_REPORT_PICTURE_MARKUP_H

#include <stddef.h>
#include <stdio.h>

/* A copy in which bytes that are no UTF-8 and control characters are \xNN,
 * and characters without a shape (directions, joiners, tags) are \u{NNNN}.
 * malloc'ed, NULL if there is no memory. */
char *markup_clean(const char *text);

/* Characters of a clean text. */
size_t markup_length(const char *clean);

/* Print a clean text with <, >, &, " and ' as entities; at most `most`
 * characters, of which the last two are dots if more are there. */
void markup_put(FILE *file, const char *clean, size_t most);

#define MARKUP_ALL ((size_t)-1)

#endif

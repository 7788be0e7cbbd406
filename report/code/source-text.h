/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of source files that exist on this host.
 */
#ifndef XENOPROF_REPORT_CODE_SOURCE_TEXT_H
#define XENOPROF_REPORT_CODE_SOURCE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

/* The last file that was asked for; all zeroes is none. */
struct source_text {
    char *path;
    char *text;   /* NULL if it cannot be read */
    char **lines; /* parts of text */
    size_t count;
};

/* Returns a line of a file by number, from 1, or NULL.  Valid until the next
 * call. */
const char *source_line(struct source_text *source, const char *path,
                        int number);
/* Whether all users of this host may read the file. */
bool source_is_public(const char *path);
void source_free(struct source_text *source);

#endif

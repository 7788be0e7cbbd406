/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of source files, if these are there.
 */
#ifndef XENOPROF_REPORT_CODE_SOURCE_TEXT_H
#define XENOPROF_REPORT_CODE_SOURCE_TEXT_H

#include <stddef.h>

/* One file, the last that was asked for; all zero is none. */
struct source_text {
    char *path;
    char *text;   /* NULL: it cannot be read */
    char **lines; /* parts of text */
    size_t count;
};

/* A line of a file, number from 1 on; NULL: not there.  Good until the next
 * call. */
const char *source_line(struct source_text *source, const char *path,
                        int number);
void source_free(struct source_text *source);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A line of a table's header: a title, and a text that goes on below itself
 * where the screen is too narrow.
 */
#ifndef XENOPROF_REPORT_TEXT_HEADER_LINE_H
#define XENOPROF_REPORT_TEXT_HEADER_LINE_H

#include "report/model/report.h"

/* Text that is gathered, then shown behind a title. */
struct header_line {
    const struct report *report;
    FILE *file;
    FILE *memory; /* NULL: there is none */
    char *text;
    size_t size;
};

struct header_line header_line_begin(const struct report *report, FILE *file);
void header_line_add(struct header_line *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Shows nothing if nothing was added. */
void header_line_end(struct header_line *line, const char *title);

#endif

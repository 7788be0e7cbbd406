/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the screen can show: colours, and characters to draw lines with.
 */
#ifndef XENOPROF_REPORT_TEXT_SCREEN_H
#define XENOPROF_REPORT_TEXT_SCREEN_H

#include "base/failure.h"

#include <stdbool.h>
#include <stdio.h>

enum colour {
    COLOUR_XEN,
    COLOUR_KERNEL,
    COLOUR_USER,
    COLOUR_MARK,  /* what stands in place of frames */
    COLOUR_GROUP, /* what samples are grouped by */
    COLOUR_HOT,   /* a large part */
    COLOUR_MORE,
    COLOUR_LESS,
    COLOURS
};

/* Lines of a tree: two columns each. */
struct tree_lines {
    const char *branch; /* to one of several */
    const char *last;   /* to the last of them */
    const char *past;   /* beside what hangs on a branch */
    const char *none;   /* the same below the last one */
    const char *about;  /* before an error; one column */
    const char *cut;    /* where lines were left out on the left */
};

struct screen {
    bool colour;
    bool utf8;
    const struct tree_lines *lines;
};

/* Finds out what standard output can show, once the locale is set.  when is
 * "auto", "always" or "never": whether colours are used. */
enum exit_status screen_init(struct screen *screen, const char *when,
                             struct failure *failure);

/* From here on, what is written to file is in that colour, until the end of
 * it; nothing on a screen without colours. */
void screen_begin(const struct screen *screen, enum colour colour, FILE *file);
void screen_end(const struct screen *screen, FILE *file);

#endif

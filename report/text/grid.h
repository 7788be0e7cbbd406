/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Texts in columns that line up, in a given number of columns of a screen.
 */
#ifndef XENOPROF_REPORT_TEXT_GRID_H
#define XENOPROF_REPORT_TEXT_GRID_H

#include "base/vector.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define GRID_COLUMNS_MAX 12u

struct grid_column {
    const char *title;
    bool right;   /* numbers */
    bool shrinks; /* may be cut to fit the screen */
    size_t width;
};

struct grid {
    struct grid_column columns[GRID_COLUMNS_MAX];
    size_t column_count;
    bool titled;    /* there are no more columns */
    VECTOR(char *); /* clean; row after row */
};

void grid_free(struct grid *grid);
/* Before the first text. */
void grid_column(struct grid *grid, const char *title, bool right,
                 bool shrinks);
/* The next text, left to right, row after row.  Takes text (malloc'ed)
 * over and makes it clean. */
void grid_add(struct grid *grid, char *text);
/* Both at once: the first row brings its columns, and ends where the first
 * title comes again. */
void grid_cell(struct grid *grid, const char *title, bool right, bool shrinks,
               char *text);
/* width 0: as wide as it takes. */
void grid_print(struct grid *grid, size_t width, bool titles, FILE *file);
/* All of a table, with titles, or that there are no samples (any: there are);
 * then the grid is freed. */
void grid_print_table(struct grid *grid, size_t width, bool any, FILE *file);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A cursor in rows of which some are on the screen.
 */
#ifndef XENOPROF_REPORT_BROWSE_SCROLL_H
#define XENOPROF_REPORT_BROWSE_SCROLL_H

#include <stddef.h>

struct scroll {
    size_t at;     /* the cursor's row */
    size_t top;    /* the first row that is on the screen */
    size_t count;  /* of rows */
    size_t height; /* rows that are on the screen, if they are there */
};

/* There are so many rows, of which so many are on the screen: the cursor stays,
 * as far as it can, and is on the screen. */
void scroll_fit(struct scroll *scroll, size_t count, size_t height);

/* Moves the cursor by so many rows, at most to the first or the last one. */
void scroll_move(struct scroll *scroll, long rows);
void scroll_to(struct scroll *scroll, size_t row);

/* The same, of so many rows on a screen of that height, and the row is in its
 * middle. */
void scroll_centre(struct scroll *scroll, size_t row, size_t count,
                   size_t height);

#endif

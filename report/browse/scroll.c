/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "scroll.h"

static void keep_in_sight(struct scroll *scroll)
{
    const size_t height = scroll->height ? scroll->height : 1;

    if ( scroll->at >= scroll->count )
        scroll->at = scroll->count ? scroll->count - 1 : 0;
    if ( scroll->top > scroll->at )
        scroll->top = scroll->at;
    if ( scroll->at - scroll->top >= height )
        scroll->top = scroll->at - height + 1;
    /* No empty lines at the end while there are rows before. */
    if ( scroll->top + height > scroll->count )
        scroll->top = scroll->count > height ? scroll->count - height : 0;
}

void scroll_fit(struct scroll *scroll, size_t count, size_t height)
{
    scroll->count = count;
    scroll->height = height;
    keep_in_sight(scroll);
}

void scroll_move(struct scroll *scroll, long rows)
{
    if ( rows < 0 && (size_t)-rows > scroll->at )
        scroll->at = 0;
    else
        scroll->at += (size_t)rows;
    keep_in_sight(scroll);
}

void scroll_to(struct scroll *scroll, size_t row)
{
    scroll->at = row;
    keep_in_sight(scroll);
}

void scroll_centre(struct scroll *scroll, size_t row, size_t count,
                   size_t height)
{
    *scroll = (struct scroll){.at = row,
                              .top = row > height / 2 ? row - height / 2 : 0};
    scroll_fit(scroll, count, height);
}

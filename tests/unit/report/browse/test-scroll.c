/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A cursor that stays in its rows, and on the screen. */
#include "report/browse/scroll.h"
#include "tests/harness.h"

TEST(cursor_moves_in_rows)
{
    struct scroll scroll = {.at = 0};

    scroll_fit(&scroll, 30, 10);
    scroll_move(&scroll, -1);
    CHECK_EQ(scroll.at, 0);
    scroll_move(&scroll, 12);
    CHECK_EQ(scroll.at, 12);
    CHECK_EQ(scroll.top, 3);
    scroll_move(&scroll, 100);
    CHECK_EQ(scroll.at, 29);
    CHECK_EQ(scroll.top, 20);
    scroll_move(&scroll, -15);
    CHECK_EQ(scroll.at, 14);
    CHECK_EQ(scroll.top, 14);
    scroll_to(&scroll, 1000);
    CHECK_EQ(scroll.at, 29);
}

TEST(cursor_stays_when_rows_go)
{
    struct scroll scroll = {.at = 25, .top = 20};

    scroll_fit(&scroll, 8, 10);
    CHECK_EQ(scroll.at, 7);
    CHECK_EQ(scroll.top, 0);
    scroll_fit(&scroll, 0, 10);
    CHECK_EQ(scroll.at, 0);
    CHECK_EQ(scroll.top, 0);
}

TEST(a_row_is_in_the_middle)
{
    struct scroll scroll;

    scroll_centre(&scroll, 50, 100, 20);
    CHECK_EQ(scroll.at, 50);
    CHECK_EQ(scroll.top, 40);
    scroll_centre(&scroll, 3, 100, 20);
    CHECK_EQ(scroll.top, 0);
    scroll_centre(&scroll, 99, 100, 20);
    CHECK_EQ(scroll.top, 80);
}

TEST(no_empty_lines_before_the_end)
{
    struct scroll scroll = {.at = 29, .top = 29};

    scroll_fit(&scroll, 30, 10);
    CHECK_EQ(scroll.top, 20);
    /* A screen that became smaller has the cursor. */
    scroll_fit(&scroll, 30, 3);
    CHECK_EQ(scroll.at, 29);
    CHECK_EQ(scroll.top, 27);
}

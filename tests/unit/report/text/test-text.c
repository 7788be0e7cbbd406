/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/text/grid.h"
#include "report/text/text.h"
#include "tests/harness.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static void want_utf8(void)
{
    if ( !setlocale(LC_ALL, "C.UTF-8") )
        test_skip("there is no locale C.UTF-8");
}

static void check_clean(const char *text, const char *wanted)
{
    char *clean = text_clean(text);

    CHECK_TEXT(clean, wanted);
    free(clean);
}

TEST(text_lets_print_what_is_print)
{
    want_utf8();
    check_clean("", "");
    check_clean("do_IRQ", "do_IRQ");
    check_clean("ü日本", "ü日本");
    check_clean("a b\"'\\<>", "a b\"'\\<>");
}

TEST(text_disarms_what_a_terminal_obeys)
{
    want_utf8();
    check_clean("\x1b[31m", "\\x1b[31m");
    check_clean("\t\r\n\x7f", "\\x09\\x0d\\x0a\\x7f");
    check_clean("\xc2\x9b"
                "31m",
                "\\xc2\\x9b31m");                   /* CSI in one character */
    check_clean("\xe2\x80\xae", "\\xe2\\x80\\xae"); /* right to left */
    check_clean("\xe2\x80\x8b", "\\xe2\\x80\\x8b"); /* no width */
    check_clean("\xff\xc3", "\\xff\\xc3");          /* no UTF-8 */
    check_clean("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* surrogate */
}

TEST(text_is_ascii_where_the_locale_is)
{
    CHECK(setlocale(LC_ALL, "C"));
    check_clean("\xc3\xbc", "\\xc3\\xbc");
    check_clean("plain", "plain");
}

TEST(text_counts_columns)
{
    want_utf8();
    CHECK_EQ(text_width(""), 0);
    CHECK_EQ(text_width("abc"), 3);
    CHECK_EQ(text_width("ü"), 1);
    CHECK_EQ(text_width("日本"), 4);
    CHECK_EQ(text_head("日本", 3), strlen("日"));
    CHECK_EQ(text_head("abc", 9), 3);
}

static void check_fit(const char *text, size_t width, int right,
                      const char *wanted)
{
    char *shown = NULL;
    size_t size;
    FILE *file = open_memstream(&shown, &size);

    CHECK(file);
    text_fit(file, text, width, right);
    fclose(file);
    CHECK_TEXT(shown, wanted);
    CHECK_EQ(text_width(shown), width);
    free(shown);
}

TEST(text_fits_a_column)
{
    want_utf8();
    check_fit("abc", 5, 0, "abc  ");
    check_fit("abc", 5, 1, "  abc");
    check_fit("abc", 3, 0, "abc");
    check_fit("abcdefghij", 8, 0, "abc..hij");
    check_fit("abcdefghij", 9, 0, "abcd..hij");
    check_fit("日本語日本語", 8, 0, "日....語");
    check_fit("日本語日本語", 10, 0, "日本..本語");
}

static char *text(const char *of)
{
    return strdup(of);
}

static void check_grid(struct grid *grid, size_t width, const char *wanted)
{
    char *shown = NULL;
    size_t size;
    FILE *file = open_memstream(&shown, &size);

    CHECK(file);
    CHECK(grid_print(grid, width, true, file));
    fclose(file);
    CHECK_TEXT(shown, wanted);
    free(shown);
}

TEST(grid_lines_up_and_shrinks)
{
    struct grid grid = {.count = 0};

    want_utf8();
    grid_column(&grid, "n", true, false);
    grid_column(&grid, "name", false, true);
    grid_column(&grid, "x", false, true);
    grid_add(&grid, text("1"));
    grid_add(&grid, text("a_very_long_name_that_is_cut"));
    grid_add(&grid, text("y"));
    grid_add(&grid, text("200"));
    grid_add(&grid, text("b"));
    grid_add(&grid, text("z"));
    check_grid(&grid, 0,
               "  n  name                          x\n"
               "  1  a_very_long_name_that_is_cut  y\n"
               "200  b                             z\n");
    check_grid(&grid, 20,
               "  n  name          x\n"
               "  1  a_ver..s_cut  y\n"
               "200  b             z\n");
    grid_free(&grid);
}

TEST(grid_says_that_there_was_no_memory)
{
    struct grid grid = {.count = 0};

    grid_column(&grid, "name", false, true);
    grid_add(&grid, NULL);
    CHECK(!grid_print(&grid, 0, true, stdout));
    grid_free(&grid);
}

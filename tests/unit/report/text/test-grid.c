/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns take from the widest that may be cut until a table fits. */
#include "report/text/grid.h"
#include "tests/harness.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static void begin(struct grid *grid)
{
    setlocale(LC_ALL, "C.UTF-8");
    *grid = (struct grid){.column_count = 0};
    grid_column(grid, "percent", true, false);
    grid_column(grid, "image", false, true);
    grid_column(grid, "symbol", false, true);
}

static void add_row(struct grid *grid, const char *percent, const char *image,
                    const char *symbol)
{
    grid_add(grid, strdup(percent));
    grid_add(grid, strdup(image));
    grid_add(grid, strdup(symbol));
}

static void check_print(struct grid *grid, size_t width, const char *wanted)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    CHECK(file);
    grid_print(grid, width, false, file);
    fclose(file);
    CHECK_TEXT(text, wanted);
    free(text);
    grid_free(grid);
}

TEST(columns_are_as_wide_as_their_widest_text)
{
    struct grid grid;

    begin(&grid);
    add_row(&grid, "12.5%", "xen", "do_xen_version");
    add_row(&grid, "100.0%", "kernel", "f");
    check_print(&grid, 0,
                "  12.5%  xen     do_xen_version\n"
                " 100.0%  kernel  f\n");
}

TEST(a_table_may_have_a_head)
{
    struct grid grid;
    char *shown = NULL;
    size_t size;
    FILE *file = open_memstream(&shown, &size);

    begin(&grid);
    add_row(&grid, "1.0%", "a-long-image", "f");
    grid_print(&grid, 0, true, file);
    fclose(file);
    CHECK_TEXT(shown, "percent  image         symbol\n"
                      "   1.0%  a-long-image  f\n");
    free(shown);
    grid_free(&grid);
}

TEST(the_widest_column_shrinks_first)
{
    struct grid grid;

    begin(&grid);
    add_row(&grid, "1.0%", "a-long-image", "a_symbol_that_is_longer");
    check_print(&grid, 35, "   1.0%  a-long-image  a_sym..onger\n");
}

TEST(no_column_is_narrower_than_it_can_be_read)
{
    struct grid grid;

    begin(&grid);
    add_row(&grid, "1.0%", "a-long-image", "a_symbol_that_is_longer");
    check_print(&grid, 10, "   1.0%  a-l..age  a_s..ger\n");
}

TEST(what_may_not_be_printed_is_spelled)
{
    struct grid grid;

    begin(&grid);
    add_row(&grid, "1.0%", "\x1b[2J", "\xd7\xa9");
    check_print(&grid, 0, "   1.0%  \\x1b[2J  \xd7\xa9\n");
}

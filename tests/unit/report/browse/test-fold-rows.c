/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of a tree that is folded, unfolded and looked through: a made-up tree of
 * domains (d...) and functions, of which those below 5 are small.
 */
#include "base/must.h"
#include "report/browse/fold-rows.h"
#include "report/model/format.h"
#include "tests/harness.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHILDREN 4u

static const struct made {
    const char *name;
    unsigned int weight;
    uint32_t children[CHILDREN]; /* 0: no more */
} made[] = {
    [0] = {"root", 100, {1, 2, 9}}, [1] = {"idle", 50, {0}},
    [2] = {"dom0", 40, {3}},        [3] = {"main", 40, {4}},
    [4] = {"loop", 40, {5, 6, 7}},  [5] = {"read", 20, {8}},
    [6] = {"write", 15, {0}},       [7] = {"tiny", 4, {0}},
    [8] = {"copy", 19, {0}},        [9] = {"dweb", 10, {10}},
    [10] = {"serve", 10, {11}},     [11] = {"read", 9, {0}},
};

#define MADE (sizeof(made) / sizeof(made[0]))

static uint32_t count_made(const struct outline *outline, uint32_t node)
{
    uint32_t count = 0;

    (void)outline;
    while ( count < CHILDREN && made[node].children[count] )
        count++;
    return count;
}

static uint32_t made_child(const struct outline *outline, uint32_t node,
                           uint32_t index)
{
    (void)outline;
    return made[node].children[index];
}

static bool made_small(const struct outline *outline, uint32_t node)
{
    (void)outline;
    return made[node].weight < 5;
}

static bool made_is_frame(const struct outline *outline, uint32_t node)
{
    (void)outline;
    return node && made[node].name[0] != 'd';
}

static char *made_text(const struct outline *outline, uint32_t node)
{
    (void)outline;
    return must(strdup(made[node].name));
}

static enum colour made_colour(const struct outline *outline, uint32_t node)
{
    (void)outline, (void)node;
    return COLOUR_XEN;
}

static void made_columns(const struct outline *outline, uint32_t node,
                         uint32_t above)
{
    if ( above == node )
        fprintf(outline->file, "%3u ", made[node].weight);
    else
        fputs("    ", outline->file);
}

static double made_weight(const struct outline *outline, uint32_t node)
{
    (void)outline;
    return made[node].weight;
}

static const struct outline_source made_source = {
    .count = count_made,
    .child = made_child,
    .small = made_small,
    .is_frame = made_is_frame,
    .text = made_text,
    .colour = made_colour,
    .columns = made_columns,
};

static const struct tree_lines shapes = {"|-", "`-", "| ", "  ", "~", "> "};
static const struct screen screen = {.lines = &shapes};
static struct outline outline;
static struct fold_rows rows;

static void begin(void)
{
    outline = (struct outline){.source = &made_source,
                               .screen = &screen,
                               .width = 60,
                               .columns_width = 4};
    fold_rows_init(&rows, &outline, 0, MADE);
}

/* All rows as they are printed. */
static char *printed(void)
{
    static char *text;
    size_t size;

    free(text);
    outline.file = must(open_memstream(&text, &size));
    for ( size_t i = 0; i < rows.count; i++ )
        fold_row_print(&rows, i);
    return format_close(outline.file, &text);
}

static bool is_name(const void *context, const char *text)
{
    return !strcmp(text, context);
}

TEST(all_is_folded_at_first)
{
    begin();
    CHECK_TEXT(printed(), " 50   idle\n"
                          " 40 + dom0  (5 more)\n"
                          " 10 + dweb  (2 more)\n");
    CHECK(!fold_row_opens(&rows, 0));
    CHECK(fold_row_opens(&rows, 1));
    CHECK_EQ(fold_row_hidden(&rows, 0), 0);
    fold_rows_free(&rows);
}

/* As --callgraph: to the right only where there are several ways to go, and
 * what has one way has no numbers of its own. */
TEST(all_is_unfolded)
{
    begin();
    fold_row_set(&rows, 1, true, true);
    CHECK_TEXT(printed(), " 50   idle\n"
                          " 40 - dom0\n"
                          " 40 `-- main\n"
                          "      - loop\n"
                          " 20   |-- read\n"
                          "      |   copy\n"
                          " 15   `-  write\n"
                          " 10 + dweb  (2 more)\n");
    CHECK_EQ(rows.items[2].parent, 1);
    CHECK_EQ(rows.items[6].parent, 3);
    fold_row_set(&rows, 3, false, false);
    CHECK_TEXT(printed(), " 50   idle\n"
                          " 40 - dom0\n"
                          " 40 `-- main\n"
                          "      + loop  (3 more)\n"
                          " 10 + dweb  (2 more)\n");
    /* What was open in it is open again. */
    fold_row_set(&rows, 3, true, false);
    CHECK_EQ(rows.count, 8);
    fold_row_set(&rows, 1, false, true);
    CHECK_EQ(rows.count, 3);
    fold_row_set(&rows, 1, true, false);
    CHECK_EQ(rows.count, 4);
    fold_rows_free(&rows);
}

TEST(a_leaf_does_not_open)
{
    begin();
    fold_row_set(&rows, 0, true, false);
    fold_row_set(&rows, 0, true, true);
    CHECK(!fold_row_is_open(&rows, 0));
    CHECK_EQ(rows.count, 3);
    fold_rows_free(&rows);
}

/* Whatever room there is, the heaviest path is open; then what is heaviest. */
TEST(the_heaviest_is_open)
{
    begin();
    fold_rows_unfold(&rows, 2, made_weight);
    CHECK_TEXT(printed(), " 50   idle\n"
                          " 40 - dom0\n"
                          " 40 `-- main\n"
                          "      - loop\n"
                          " 20   |-- read\n"
                          "      |   copy\n"
                          " 15   `-  write\n"
                          " 10 + dweb  (2 more)\n");
    fold_rows_free(&rows);
    begin();
    fold_rows_unfold(&rows, 9, made_weight);
    CHECK_EQ(rows.count, 9);
    CHECK(!fold_row_is_open(&rows, 8));
    fold_rows_unfold(&rows, 100, made_weight);
    CHECK_EQ(rows.count, 10);
    fold_rows_free(&rows);
}

TEST(names_are_found_in_what_is_folded)
{
    size_t row;

    begin();
    row = fold_rows_find(&rows, 0, false, is_name, "read");
    CHECK_EQ(row, 4);
    CHECK_EQ(rows.items[row].node, 5);
    CHECK_EQ(rows.count, 7);
    row = fold_rows_find(&rows, row, false, is_name, "read");
    CHECK_EQ(rows.items[row].node, 11);
    row = fold_rows_find(&rows, row, false, is_name, "read");
    CHECK_EQ(rows.items[row].node, 5);
    row = fold_rows_find(&rows, row, true, is_name, "read");
    CHECK_EQ(rows.items[row].node, 11);
    row = fold_rows_find(&rows, row, false, is_name, "serve");
    CHECK_EQ(rows.items[row].node, 10);
    CHECK_EQ(fold_rows_find(&rows, row, false, is_name, "serve"), row);
    CHECK(fold_rows_find(&rows, row, false, is_name, "tiny") == FOLD_NONE);
    CHECK(fold_rows_find(&rows, row, true, is_name, "none") == FOLD_NONE);
    fold_rows_free(&rows);
}

TEST(what_was_open_is_open_again)
{
    bool open[MADE] = {false};

    begin();
    open[2] = open[3] = true;
    fold_rows_restore(&rows, open);
    CHECK_TEXT(printed(), " 50   idle\n"
                          " 40 - dom0\n"
                          " 40 `-- main\n"
                          "      + loop  (3 more)\n"
                          " 10 + dweb  (2 more)\n");
    fold_rows_free(&rows);
}

TEST(a_tree_without_rows)
{
    begin();
    rows.root = 1;
    fold_rows_restore(&rows, (bool[MADE]){false});
    CHECK_EQ(rows.count, 0);
    fold_rows_unfold(&rows, 10, made_weight);
    CHECK(fold_rows_find(&rows, 0, false, is_name, "read") == FOLD_NONE);
    fold_rows_free(&rows);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/picture/flame.h"
#include "tests/harness.h"

#include <stdlib.h>

/* A tree made by hand: each node's length, and the nodes below it. */
struct plant {
    uint64_t length;
    uint32_t children[4];
    uint32_t count;
};

static uint32_t children(const void *data, uint32_t node)
{
    return ((const struct plant *)data)[node].count;
}

static uint32_t child(const void *data, uint32_t node, uint32_t index)
{
    return ((const struct plant *)data)[node].children[index];
}

static uint64_t length(const void *data, uint32_t node)
{
    return ((const struct plant *)data)[node].length;
}

/* "0.1@300+200": depth, node, start and length of each frame. */
static void check_layout(const struct plant *plants, size_t count,
                         uint64_t part, const char *wanted)
{
    const struct flame_look look = {
        .children = children, .child = child, .length = length};
    struct flame flame;
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    CHECK(file);
    flame_build(&flame, &look, plants, count, part);
    for ( size_t i = 0; i < flame.count; i++ )
        fprintf(file, "%s%u.%u@%u+%u", i ? " " : "", flame.items[i].depth,
                flame.items[i].node, (unsigned int)flame.items[i].start,
                (unsigned int)flame.items[i].length);
    fprintf(file, ", %u rows, %zu hidden of %u", flame.rows, flame.narrow,
            (unsigned int)flame.hidden);
    fclose(file);
    CHECK_TEXT(text, wanted);
    free(text);
    flame_free(&flame);
}

static const struct plant plants[] = {
    {.length = 1000, .children = {1, 2}, .count = 2},
    {.length = 700, .children = {3, 4, 5}, .count = 3},
    {.length = 200, .children = {6}, .count = 1},
    {.length = 400},
    {.length = 9, .children = {7}, .count = 1},
    {.length = 50},
    {.length = 200},
    {.length = 9},
};

TEST(flame_puts_children_side_by_side)
{
    check_layout(plants, 8, 1000,
                 "0.0@0+1000 1.1@0+700 2.3@0+400 2.4@400+9 3.7@400+9 "
                 "2.5@409+50 1.2@700+200 2.6@700+200, 4 rows, 0 hidden of 0");
}

TEST(flame_leaves_out_what_is_narrow_with_all_below)
{
    /* Its place stays free. */
    check_layout(plants, 8, 100,
                 "0.0@0+1000 1.1@0+700 2.3@0+400 2.5@409+50 1.2@700+200 "
                 "2.6@700+200, 3 rows, 1 hidden of 9");
}

TEST(flame_of_nothing_is_empty)
{
    static const struct plant nothing = {.length = 0};

    check_layout(&nothing, 1, 100, ", 0 rows, 0 hidden of 0");
}

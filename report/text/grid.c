/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "grid.h"

#include "base/must.h"
#include "base/scope.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

#define GAP        2u /* blanks between columns */
#define SHRINK_MIN 8u /* columns are not made narrower than that */

void grid_free(struct grid *grid)
{
    for ( size_t i = 0; i < grid->count; i++ )
        free(grid->items[i]);
    vector_free(grid);
}

void grid_column(struct grid *grid, const char *title, bool right, bool shrinks)
{
    grid->columns[grid->column_count++] = (struct grid_column){
        title, right, shrinks, text_width(title)};
}

void grid_add(struct grid *grid, char *text)
{
    char *given SCOPE_FREE = text;
    char *clean = must(text_clean(given));
    struct grid_column *column;
    size_t width;

    must_do(vector_reserve(grid, 1));
    column = &grid->columns[grid->count % grid->column_count];
    grid->items[grid->count++] = clean;
    width = text_width(clean);
    if ( width > column->width )
        column->width = width;
}

void grid_cell(struct grid *grid, const char *title, bool right, bool shrinks,
               char *text)
{
    grid->titled = grid->titled ||
                   (grid->count && !strcmp(title, grid->columns[0].title));
    if ( !grid->titled )
        grid_column(grid, title, right, shrinks);
    grid_add(grid, text);
}

static size_t total_width(const struct grid *grid)
{
    size_t total = 0;

    for ( size_t i = 0; i < grid->column_count; i++ )
        total += grid->columns[i].width + (i ? GAP : 0);
    return total;
}

static struct grid_column *widest(struct grid *grid)
{
    struct grid_column *found = NULL;

    for ( size_t i = 0; i < grid->column_count; i++ )
    {
        struct grid_column *column = &grid->columns[i];

        if ( column->shrinks && column->width > SHRINK_MIN &&
             (!found || column->width >= found->width) )
            found = column;
    }
    return found;
}

/* Take from the widest column until it fits, or none can give. */
static void shrink_columns(struct grid *grid, size_t width)
{
    struct grid_column *column;

    while ( total_width(grid) > width && (column = widest(grid)) )
        column->width--;
}

static void print_text(const struct grid *grid, size_t column, const char *text,
                       FILE *file)
{
    const struct grid_column *shape = &grid->columns[column];
    bool last = column + 1 == grid->column_count;
    size_t own = text_width(text);

    if ( column )
        fprintf(file, "%*s", (int)GAP, "");
    /* No blanks at a line's end. */
    text_fit(file, text,
             last && !shape->right && own < shape->width ? own : shape->width,
             shape->right);
}

void grid_print(struct grid *grid, size_t width, bool titles, FILE *file)
{
    if ( width )
        shrink_columns(grid, width);
    for ( size_t i = 0; titles && i < grid->column_count; i++ )
    {
        print_text(grid, i, grid->columns[i].title, file);
        if ( i + 1 == grid->column_count )
            fputc('\n', file);
    }
    for ( size_t i = 0; i < grid->count; i++ )
    {
        size_t column = i % grid->column_count;

        print_text(grid, column, grid->items[i], file);
        if ( column + 1 == grid->column_count )
            fputc('\n', file);
    }
}

void grid_print_table(struct grid *grid, size_t width, bool any, FILE *file)
{
    grid_print(grid, width, true, file);
    if ( !any )
        fputs("(no samples)\n", file);
    grid_free(grid);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "fold-rows.h"

#include "base/id-table.h"
#include "base/must.h"
#include "base/scope.h"

#include <stdlib.h>
#include <string.h>

/* Where a node stands that gets a row. */
struct fold_place {
    size_t parent, branch;
    uint32_t above;
    bool on_branch, last;
};

static const char *const marks_utf8[] = {"▸ ", "▾ "};
static const char *const marks_ascii[] = {"+ ", "- "};

static uint32_t child_count(const struct fold_rows *rows, uint32_t node)
{
    return rows->outline->source->count(rows->outline, node);
}

static uint32_t child_at(const struct fold_rows *rows, uint32_t node,
                         uint32_t index)
{
    return rows->outline->source->child(rows->outline, node, index);
}

static bool is_small_node(const struct fold_rows *rows, uint32_t node)
{
    return rows->outline->source->small(rows->outline, node);
}

/* Returns how many children have rows if the node is open; *last is the index
 * of the last of them. */
static size_t count_shown(const struct fold_rows *rows, uint32_t node,
                          uint32_t *last)
{
    size_t shown = 0;

    for ( uint32_t i = 0; i < child_count(rows, node); i++ )
        if ( !is_small_node(rows, child_at(rows, node, i)) )
        {
            *last = i;
            shown++;
        }
    return shown;
}

static bool has_shown(const struct fold_rows *rows, uint32_t node)
{
    for ( uint32_t i = 0; i < child_count(rows, node); i++ )
        if ( !is_small_node(rows, child_at(rows, node, i)) )
            return true;
    return false;
}

static void add_below(struct fold_rows *rows, uint32_t node, size_t row);

static void add_row(struct fold_rows *rows, uint32_t node,
                    const struct fold_place *place)
{
    struct fold_row *row = must(vector_add(rows));

    *row = (struct fold_row){
        .node = node,
        .above = place->above,
        .parent = place->parent,
        .branch = place->branch,
        .on_branch = place->on_branch,
        .last = place->last,
    };
    add_below(rows, node, rows->count - 1);
}

/* As deep as the deepest stack, which the session's format limits. */
static void add_below(struct fold_rows *rows, uint32_t node, size_t row)
{
    const bool top = row == FOLD_NONE;
    struct fold_place place = {.parent = row, .branch = FOLD_NONE};
    uint32_t last = 0;
    size_t shown;

    if ( !top && !rows->open[node] )
        return;
    shown = count_shown(rows, node, &last);
    place.on_branch = !top && (shown > 1 || !rows->outline->source->is_frame(
                                                rows->outline, node));
    if ( !top )
        place.branch = rows->items[row].on_branch ? row
                                                  : rows->items[row].branch;
    for ( uint32_t i = 0; i < child_count(rows, node); i++ )
    {
        const uint32_t child = child_at(rows, node, i);

        if ( is_small_node(rows, child) )
            continue;
        place.last = i == last;
        place.above = top || place.on_branch ? child : node;
        add_row(rows, child, &place);
    }
}

static void make_rows(struct fold_rows *rows)
{
    rows->count = 0;
    add_below(rows, rows->root, FOLD_NONE);
}

void fold_rows_init(struct fold_rows *rows, const struct outline *outline,
                    uint32_t root, uint32_t nodes)
{
    *rows = (struct fold_rows){
        .outline = outline, .root = root, .nodes = nodes};
    rows->open = must(calloc(nodes + 1, sizeof(*rows->open)));
    make_rows(rows);
}

void fold_rows_free(struct fold_rows *rows)
{
    free(rows->open);
    vector_free(rows);
}

bool fold_row_opens(const struct fold_rows *rows, size_t row)
{
    return has_shown(rows, rows->items[row].node);
}

bool fold_row_is_open(const struct fold_rows *rows, size_t row)
{
    return rows->open[rows->items[row].node];
}

static uint32_t first_shown(const struct fold_rows *rows, uint32_t node)
{
    uint32_t i = 0;

    while ( is_small_node(rows, child_at(rows, node, i)) )
        i++;
    return child_at(rows, node, i);
}

/* The heaviest row that could be opened; FOLD_NONE: none. */
static size_t heaviest_folded(const struct fold_rows *rows,
                              double (*weight)(const struct outline *outline,
                                               uint32_t node))
{
    size_t best = FOLD_NONE;
    double most = 0;

    for ( size_t i = 0; i < rows->count; i++ )
    {
        const double own = weight(rows->outline, rows->items[i].node);

        if ( (best == FOLD_NONE || own > most) && !fold_row_is_open(rows, i) &&
             fold_row_opens(rows, i) )
        {
            best = i;
            most = own;
        }
    }
    return best;
}

static void open_first_path(struct fold_rows *rows, size_t row)
{
    uint32_t node = rows->items[row].node;

    for ( ; has_shown(rows, node); node = first_shown(rows, node) )
        rows->open[node] = true;
    make_rows(rows);
}

void fold_rows_unfold(struct fold_rows *rows, size_t most,
                      double (*weight)(const struct outline *outline,
                                       uint32_t node))
{
    size_t row = heaviest_folded(rows, weight);

    if ( row != FOLD_NONE )
        open_first_path(rows, row);
    while ( rows->count < most &&
            (row = heaviest_folded(rows, weight)) != FOLD_NONE )
    {
        uint32_t last, node = rows->items[row].node;

        if ( rows->count + count_shown(rows, node, &last) > most )
            break;
        fold_row_set(rows, row, true, false);
    }
}

static void set_below(struct fold_rows *rows, uint32_t node, bool open)
{
    if ( !has_shown(rows, node) )
        return;
    rows->open[node] = open;
    for ( uint32_t i = 0; i < child_count(rows, node); i++ )
        if ( !is_small_node(rows, child_at(rows, node, i)) )
            set_below(rows, child_at(rows, node, i), open);
}

void fold_row_set(struct fold_rows *rows, size_t row, bool open, bool all)
{
    const uint32_t node = rows->items[row].node;

    if ( all )
        set_below(rows, node, open);
    else
        rows->open[node] = open && has_shown(rows, node);
    make_rows(rows);
}

static void count_below(const struct fold_rows *rows, uint32_t node,
                        size_t *count)
{
    for ( uint32_t i = 0;
          i < child_count(rows, node) && *count <= FOLD_HIDDEN_MOST; i++ )
    {
        const uint32_t child = child_at(rows, node, i);

        if ( is_small_node(rows, child) )
            continue;
        ++*count;
        count_below(rows, child, count);
    }
}

size_t fold_row_hidden(const struct fold_rows *rows, size_t row)
{
    size_t count = 0;

    if ( !fold_row_is_open(rows, row) )
        count_below(rows, rows->items[row].node, &count);
    return count;
}

/* Lines are found from the row outwards, and drawn the other way. */
static size_t row_lines(const struct fold_rows *rows, size_t row,
                        const char **lines, size_t most)
{
    const struct tree_lines *shapes = rows->outline->screen->lines;
    const struct fold_row *at = &rows->items[row];
    size_t count = 0;

    if ( at->on_branch )
        lines[most - ++count] = at->last ? shapes->last : shapes->branch;
    for ( size_t up = at->branch; up != FOLD_NONE && count < most;
          up = rows->items[up].branch )
        lines[most - ++count] = rows->items[up].last ? shapes->none
                                                     : shapes->past;
    return count;
}

static size_t count_branches(const struct fold_rows *rows, size_t row)
{
    size_t count = rows->items[row].on_branch;

    for ( size_t up = rows->items[row].branch; up != FOLD_NONE;
          up = rows->items[up].branch )
        count++;
    return count;
}

void fold_row_print(const struct fold_rows *rows, size_t row)
{
    const char *const *marks = rows->outline->screen->utf8 ? marks_utf8
                                                           : marks_ascii;
    const size_t most = count_branches(rows, row),
                 hidden = fold_row_hidden(rows, row);
    const char **lines SCOPE_FREE = must(calloc(most + 1, sizeof(*lines)));
    char *behind SCOPE_FREE = NULL;
    const bool open = fold_row_is_open(rows, row);

    row_lines(rows, row, lines, most);
    lines[most] = open || hidden ? marks[open] : "  ";
    if ( hidden > FOLD_HIDDEN_MOST )
        behind = must_text("  (more than %u more)", FOLD_HIDDEN_MOST);
    else
        behind = hidden ? must_text("  (%zu more)", hidden) : must(strdup(""));
    outline_print_row(rows->outline, rows->items[row].node,
                      rows->items[row].above, lines, most + 1, behind);
}

/* All that could have a row, in the order of rows. */
struct fold_order {
    VECTOR(struct fold_step);
};
struct fold_step {
    uint32_t node;
    size_t parent; /* step, or FOLD_NONE */
};

static void add_steps(const struct fold_rows *rows, struct fold_order *order,
                      uint32_t node, size_t parent)
{
    for ( uint32_t i = 0; i < child_count(rows, node); i++ )
    {
        const uint32_t child = child_at(rows, node, i);
        struct fold_step *step;

        if ( is_small_node(rows, child) )
            continue;
        step = must(vector_add(order));
        *step = (struct fold_step){child, parent};
        add_steps(rows, order, child, order->count - 1);
    }
}

static bool step_matches(const struct fold_rows *rows, uint32_t node,
                         bool (*match)(const void *context, const char *text),
                         const void *context)
{
    char *text SCOPE_FREE = rows->outline->source->text(rows->outline, node);

    return text && match(context, text);
}

/* Returns the row of a step, once all that it is in is open. */
static size_t open_step(struct fold_rows *rows, const struct fold_order *order,
                        size_t step)
{
    const uint32_t node = order->items[step].node;
    size_t row = 0;

    for ( size_t up = order->items[step].parent; up != FOLD_NONE;
          up = order->items[up].parent )
        rows->open[order->items[up].node] = true;
    make_rows(rows);
    while ( row < rows->count && rows->items[row].node != node )
        row++;
    return row < rows->count ? row : FOLD_NONE;
}

size_t fold_rows_find(struct fold_rows *rows, size_t from, bool back,
                      bool (*match)(const void *context, const char *text),
                      const void *context)
{
    struct fold_order order = {.count = 0};
    size_t at = 0, found = FOLD_NONE;

    add_steps(rows, &order, rows->root, FOLD_NONE);
    while ( from < rows->count && at < order.count &&
            order.items[at].node != rows->items[from].node )
        at++;
    for ( size_t i = 1; i <= order.count && found == FOLD_NONE; i++ )
    {
        size_t step = (back ? at + order.count - i : at + i) % order.count;

        if ( step_matches(rows, order.items[step].node, match, context) )
            found = open_step(rows, &order, step);
    }
    vector_free(&order);
    return found;
}

uint64_t fold_node_name(const struct fold_rows *rows, uint64_t parent,
                        uint32_t node)
{
    char *text SCOPE_FREE = rows->outline->source->text(rows->outline, node);

    return hash_bytes(parent, text ? text : "", text ? strlen(text) : 0);
}

struct fold_opening {
    bool (*is_open)(const void *context, uint64_t name);
    const void *context;
};

static void open_below(struct fold_rows *rows, uint32_t node, uint64_t name,
                       const struct fold_opening *opening)
{
    for ( uint32_t i = 0; i < child_count(rows, node); i++ )
    {
        const uint32_t child = child_at(rows, node, i);
        uint64_t own;

        if ( is_small_node(rows, child) )
            continue;
        own = fold_node_name(rows, name, child);
        if ( !opening->is_open(opening->context, own) ||
             !has_shown(rows, child) )
            continue;
        rows->open[child] = true;
        open_below(rows, child, own, opening);
    }
}

void fold_rows_open(struct fold_rows *rows,
                    bool (*is_open)(const void *context, uint64_t name),
                    const void *context)
{
    const struct fold_opening opening = {is_open, context};

    memset(rows->open, 0, rows->nodes * sizeof(*rows->open));
    open_below(rows, rows->root, 0, &opening);
    make_rows(rows);
}

void fold_rows_restore(struct fold_rows *rows, const bool *open)
{
    memcpy(rows->open, open, rows->nodes * sizeof(*open));
    make_rows(rows);
}

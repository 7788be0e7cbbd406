/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "outline.h"

#include "base/must.h"
#include "base/scope.h"
#include "base/text.h"
#include "base/vector.h"

#include <stdlib.h>
#include <string.h>

#define LINE_WIDTH 2u  /* of each of screen.h's lines */
#define NAME_MIN   24u /* columns that a name has at least, on wide screens */
#define ROOM_MIN   12u /* columns for lines and name on any screen */

/* Where the walk is: what stands before a name, one pointer a level. */
struct outline_walk {
    const struct outline *outline;
    struct {
        VECTOR(const char *);
    } lines;
    size_t depth; /* frames above */
};

static void print_outline_below(struct outline_walk *walk, uint32_t node);

static void push_line(struct outline_walk *walk, const char *line)
{
    const char **added = must(vector_add(&walk->lines));

    *added = line;
}

static void pop_line(struct outline_walk *walk)
{
    walk->lines.count--;
}

/* As many lines as leave room for a name: the nearest ones.  Returns the
 * columns that are left, 0 for any number. */
static size_t print_lines(const struct outline_walk *walk)
{
    const struct outline *outline = walk->outline;
    size_t used = outline->columns_width, from = 0;
    size_t room = outline->width > used + ROOM_MIN ? outline->width - used
                                                   : ROOM_MIN;
    size_t most = (room > 2 * NAME_MIN ? room - NAME_MIN : room / 2) /
                  LINE_WIDTH;

    if ( outline->width && walk->lines.count > most )
    {
        from = walk->lines.count - most + (most > 0);
        if ( most )
            fputs(outline->screen->lines->cut, outline->file);
    }
    for ( size_t i = from; i < walk->lines.count; i++ )
        fputs(walk->lines.items[i], outline->file);
    if ( !outline->width )
        return 0;
    return room -
           LINE_WIDTH * (walk->lines.count > most ? most : walk->lines.count);
}

/* Takes text over. */
static void print_name(struct outline_walk *walk, char *text,
                       enum colour colour)
{
    const struct outline *outline = walk->outline;
    char *given SCOPE_FREE = text;
    char *clean SCOPE_FREE = must(text_clean(given));
    size_t room = print_lines(walk), own = text_width(clean);

    screen_begin(outline->screen, colour, outline->file);
    if ( room && own > room )
        text_fit(outline->file, clean, room, 0);
    else
        fputs(clean, outline->file);
    screen_end(outline->screen, outline->file);
    fputc('\n', outline->file);
}

static void print_node(struct outline_walk *walk, uint32_t node, uint32_t above)
{
    const struct outline_source *source = walk->outline->source;

    source->columns(walk->outline, node, above);
    print_name(walk, source->text(walk->outline, node),
               source->colour(walk->outline, node));
}

/* Children that are shown, in their order; what is small is left out.  Returns
 * how many are shown; *ret is malloc'ed. */
static size_t pick_children(struct outline_walk *walk, uint32_t node,
                            uint32_t **ret)
{
    const struct outline *outline = walk->outline;
    uint32_t count = outline->source->count(outline, node);
    uint32_t *children = must(calloc(count + 1, sizeof(*children)));
    size_t shown = 0;

    *ret = children;
    for ( uint32_t i = 0; i < count; i++ )
    {
        uint32_t child = outline->source->child(outline, node, i);

        if ( outline->source->small(outline, child) )
            outline_leave_out(outline, child);
        else
            children[shown++] = child;
    }
    return shown;
}

static void print_outline_children(struct outline_walk *walk, uint32_t node)
{
    const struct outline *outline = walk->outline;
    const struct tree_lines *lines = outline->screen->lines;
    uint32_t *children SCOPE_FREE = NULL;
    size_t shown = pick_children(walk, node, &children);

    if ( shown == 1 && outline->source->is_frame(outline, node) )
    {
        print_node(walk, children[0], node);
        print_outline_below(walk, children[0]);
        return;
    }
    /* Each is on a branch of its own. */
    for ( size_t i = 0; i < shown; i++ )
    {
        bool last = i + 1 == shown;

        push_line(walk, last ? lines->last : lines->branch);
        print_node(walk, children[i], children[i]);
        pop_line(walk);
        push_line(walk, last ? lines->none : lines->past);
        print_outline_below(walk, children[i]);
        pop_line(walk);
    }
}

/* As deep as the deepest stack, which the session's format limits. */
static void print_outline_below(struct outline_walk *walk, uint32_t node)
{
    const struct outline *outline = walk->outline;
    bool frame = outline->source->is_frame(outline, node);

    walk->depth += frame;
    if ( !outline->max_depth || walk->depth < outline->max_depth )
        print_outline_children(walk, node);
    walk->depth -= frame;
}

/* What stands at the left has no lines before it. */
void outline_print(const struct outline *outline, uint32_t node)
{
    struct outline_walk walk = {.outline = outline};
    uint32_t *children SCOPE_FREE = NULL;
    size_t shown = pick_children(&walk, node, &children);

    for ( size_t i = 0; i < shown; i++ )
    {
        print_node(&walk, children[i], children[i]);
        print_outline_below(&walk, children[i]);
    }
    vector_free(&walk.lines);
}

void outline_print_row(const struct outline *outline, uint32_t node,
                       uint32_t above, const char *const *lines, size_t count,
                       const char *behind)
{
    struct outline_walk walk = {.outline = outline};
    char *text SCOPE_FREE = outline->source->text(outline, node);

    for ( size_t i = 0; i < count; i++ )
        push_line(&walk, lines[i]);
    outline->source->columns(outline, node, above);
    print_name(&walk, must_text("%s%s", text ? text : "?", behind),
               outline->source->colour(outline, node));
    vector_free(&walk.lines);
}

void outline_leave_out(const struct outline *outline, uint32_t node)
{
    outline->source->leave_out(outline, node, outline->rest);
    outline->rest->count++;
}

void outline_print_rest(const struct outline *outline, double limit)
{
    struct outline_walk walk = {.outline = outline};

    if ( !outline->rest->count )
        return;
    outline->source->rest(outline, outline->rest);
    print_name(&walk,
               must_text("(%zu branch%s below --percent-limit=%g)",
                         outline->rest->count,
                         outline->rest->count > 1 ? "es" : "", limit),
               COLOUR_MARK);
}

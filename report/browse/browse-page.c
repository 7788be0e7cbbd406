/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse-page.h"

#include "base/must.h"
#include "base/scope.h"
#include "base/text.h"
#include "base/wrap.h"
#include "browse-help.h"
#include "browse-screen.h"
#include "report/model/format.h"
#include "report/text/overview-lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char time_hints[] = "Left Right Up Down move *  Tab the other end";

/* Where the next line goes. */
struct pen {
    struct browse *browse;
    size_t y;
};

static void put_line(struct pen *pen, const char *text, enum browse_line kind)
{
    browse_screen_line(pen->y++, text, kind);
}

static void draw_domain_title(struct pen *pen)
{
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    overview_domains_title(&pen->browse->reading.layout, file);
    put_line(pen, format_close(file, &text), LINE_PLAIN);
    free(text);
}

/* "web (1)", and a mark where it is what is shown. */
static char *domain_line(struct browse *browse, size_t row)
{
    const struct browse_reading *reading = &browse->reading;
    const struct browse_domain *domain = &reading->domains.items[row];
    char *name SCOPE_FREE = row ? label_text(reading->report.loaded,
                                             LABEL_DOMAIN, domain->index,
                                             LABEL_NONE)
                                : must(strdup("all domains"));
    char *marked SCOPE_FREE = must_text("%s %s", domain->chosen ? "*" : " ",
                                        name ? name : "?");
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    overview_domain(&reading->layout, domain->time, domain->by_mode,
                    reading->domains_all, marked, file);
    return format_close(file, &text);
}

static enum browse_line kind_of(const struct scroll *scroll, size_t row,
                                bool chosen)
{
    return chosen && row == scroll->at ? LINE_CURSOR : LINE_PLAIN;
}

static void draw_domains(struct pen *pen)
{
    struct browse *browse = pen->browse;
    const struct scroll *scroll = &browse->domains;
    const size_t end = pen->y + browse->parts.domains;

    if ( !browse->parts.domains )
        return;
    draw_domain_title(pen);
    for ( size_t row = scroll->top; row < scroll->count && pen->y < end; row++ )
    {
        char *line SCOPE_FREE = domain_line(browse, row);

        put_line(pen, line, kind_of(scroll, row, browse->pane == PANE_DOMAINS));
    }
    pen->y = end;
}

static void draw_text(struct pen *pen, const struct browse_text *text,
                      const struct scroll *scroll, bool chosen)
{
    for ( size_t i = 0; i < scroll->height && scroll->top + i < scroll->count;
          i++ )
        put_line(pen, text->items[scroll->top + i],
                 kind_of(scroll, scroll->top + i, chosen));
}

/* "get_page: who calls it", but it is "function, and what it calls" of all. */
static char *tree_title(const struct browse *browse)
{
    const char *title = browse_forms[browse->place.form].title;
    char *text SCOPE_FREE = browse->place.symbol
                                ? must_text("%s: %s", browse->place.symbol,
                                            title)
                                : must(strdup(title));
    char *clean SCOPE_FREE = must(text_clean(text));

    return browse_tree_title(&browse->tree, clean);
}

static void draw_tree(struct pen *pen)
{
    struct browse *browse = pen->browse;
    const struct scroll *scroll = &browse->place.scroll;
    char *title SCOPE_FREE = tree_title(browse);

    put_line(pen, title, LINE_PLAIN);
    if ( !scroll->count )
        put_line(pen, "(no samples)", LINE_PLAIN);
    for ( size_t i = 0; i < scroll->height && scroll->top + i < scroll->count;
          i++ )
    {
        char *line SCOPE_FREE = browse_tree_line(&browse->tree,
                                                 scroll->top + i);

        put_line(pen, line,
                 kind_of(scroll, scroll->top + i, browse->pane == PANE_BELOW));
    }
}

/* If there is no room for all of it, the last line says so. */
static void draw_verdict(struct pen *pen)
{
    const struct browse_text *verdict = &pen->browse->verdict;
    const size_t room = pen->browse->parts.verdict;
    const size_t shown = room && room < verdict->count ? room - 1 : room;
    char *more SCOPE_FREE = NULL;

    for ( size_t i = 0; i < shown; i++ )
        put_line(pen, verdict->items[i], LINE_PLAIN);
    if ( shown == room )
        return;
    more = must_text("          (%zu more: v shows them)",
                     verdict->count - shown);
    put_line(pen, more, LINE_PLAIN);
}

static void draw_place(struct pen *pen)
{
    struct browse *browse = pen->browse;

    draw_verdict(pen);
    draw_domains(pen);
    if ( browse_has_tree(browse) )
        draw_tree(pen);
    else
        draw_text(pen, &browse->text, &browse->place.scroll, true);
}

/* "--callgraph, domain=1 mode=xen". */
static char *shown_text(const struct browse *browse)
{
    const struct browse_place *place = &browse->place;
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    fprintf(file, " --%s", browse->wanted->view[place->form]->option);
    if ( place->symbol )
        fprintf(file, "=%s", place->symbol);
    fputs("  ", file);
    if ( selection_filters(&place->selection) )
        selection_print(&place->selection, file);
    else
        fputs("all of the session", file);
    return format_close(file, &text);
}

/* Left and right in one line; the right text stays whole. */
static void draw_bar(struct pen *pen, const char *left, const char *right)
{
    char *clean SCOPE_FREE = must(text_clean(left));
    const size_t width = pen->browse->width, own = text_width(right);
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    text_fit(file, clean, width > own ? width - own : 0, 0);
    fputs(right, file);
    put_line(pen, format_close(file, &text), LINE_BAR);
    free(text);
}

static void draw_prompt(struct pen *pen)
{
    const struct browse *browse = pen->browse;
    char *text SCOPE_FREE = must_text(
        "%s%s_", browse->prompt == PROMPT_TIME ? " time START..END: " : " /",
        browse->typed);

    draw_bar(pen, text,
             browse->prompt == PROMPT_TIME ? "  as 10..20, -1m.., or empty "
                                           : "  Enter finds ");
}

/* "reading 40 %  ", or "". */
static char *fresh_text(const struct browse_fresh *fresh)
{
    if ( fresh->reading )
        return must_text("reading %u %%  ", fresh->percent);
    return must(strdup(fresh->paused ? "paused  " : ""));
}

static void draw_status(struct pen *pen)
{
    struct browse *browse = pen->browse;
    const struct scroll *cursor = browse_cursor(browse);
    char *fresh SCOPE_FREE = fresh_text(&browse->fresh);
    char *place SCOPE_FREE = must_text("  %s%zu/%zu ", fresh,
                                       cursor->count ? cursor->at + 1 : 0,
                                       cursor->count);
    char *shown SCOPE_FREE = shown_text(browse);

    if ( browse->prompt )
        draw_prompt(pen);
    else
        draw_bar(pen, shown, place);
}

/* A sentence takes as many lines as it has. */
static void draw_message(const struct browse *browse)
{
    char *clean SCOPE_FREE = must(text_clean(browse->message));
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));
    struct browse_text lines;

    wrap_print(file, clean, 0, browse->width);
    browse_text_init(&lines, format_close(file, &text));
    for ( size_t i = 0; i < lines.count && i < browse->height; i++ )
        browse_screen_line(browse->height - 1 - i,
                           lines.items[lines.count - 1 - i], LINE_BAR);
    browse_text_free(&lines);
}

/* "   [=========]    ": from one end to the other; * is the one that moves. */
static char *time_marks(const struct browse *browse)
{
    const size_t from = browse->time_ends[0], to = browse->time_ends[1] - 1;
    char *text = must(calloc(browse->width + 1, 1));

    memset(text, ' ', browse->width);
    memset(text + from, '=', to - from);
    text[from] = '[';
    text[to] = ']';
    text[browse->time_end ? to : from] = '*';
    return text;
}

static void draw_times(struct pen *pen)
{
    const struct browse *browse = pen->browse;
    char *strip SCOPE_FREE = browse_times_strip(
        &browse->times, browse->width, browse->reading.layout.screen.utf8);
    char *marks SCOPE_FREE = time_marks(browse);

    put_line(pen, "", LINE_BAR);
    put_line(pen, strip, LINE_PLAIN);
    put_line(pen, marks, LINE_PLAIN);
}

static void draw_bottom(struct browse *browse)
{
    const bool times = browse->prompt == PROMPT_TIME && browse->times.count;
    struct pen pen = {browse, browse->height - (times ? 5 : 2)};
    char *hints SCOPE_FREE = times ? must(strdup(time_hints))
                                   : browse_hints(browse->width);

    if ( times )
        draw_times(&pen);

    draw_status(&pen);
    put_line(&pen, hints, LINE_PLAIN);
    if ( browse->message )
        draw_message(browse);
}

static void draw_too_small(const struct browse *browse)
{
    char *text SCOPE_FREE = must_text("--browse needs %u columns and %u lines",
                                      BROWSE_WIDTH_MIN, BROWSE_HEIGHT_MIN);
    struct browse_text lines;
    char *wrapped = NULL;
    size_t size;
    FILE *file = must(open_memstream(&wrapped, &size));

    wrap_print(file, text, 0, browse->width);
    browse_text_init(&lines, format_close(file, &wrapped));
    for ( size_t i = 0; i < lines.count && i < browse->height; i++ )
        browse_screen_line(i, lines.items[i], LINE_PLAIN);
    browse_text_free(&lines);
}

void browse_draw(struct browse *browse)
{
    struct pen pen = {browse, 0};

    browse_screen_begin();
    if ( browse->width < BROWSE_WIDTH_MIN ||
         browse->height < BROWSE_HEIGHT_MIN )
        draw_too_small(browse);
    else
    {
        browse_cursor(browse);
        if ( browse->page.count )
            draw_text(&pen, &browse->page, &browse->page_scroll, false);
        else
            draw_place(&pen);
        draw_bottom(browse);
    }
    browse_screen_end();
}

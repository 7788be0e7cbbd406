/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse-state.h"

#include "base/must.h"
#include "browse-screen.h"
#include "report/model/format.h"
#include "report/text/header-short.h"
#include "report/text/overview-lines.h"

#include <stdlib.h>
#include <string.h>

#define BAR_LINES   2u /* at the bottom: what is shown, and keys */
#define DOMAINS_MIN 4u /* lines, with their title, if they are there */

static const struct view *view_of(const struct browse *browse)
{
    return browse->wanted->view[browse->place.form];
}

void browse_say(struct browse *browse, char *sentence)
{
    free(browse->message);
    browse->message = sentence;
}

/* The lines of the overview that say what to think of all that follows. */
static void make_verdict(struct browse *browse)
{
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    header_short(&browse->reading.report, file);
    browse_text_free(&browse->verdict);
    browse_text_init(&browse->verdict, format_close(file, &text));
}

static void drop_shown(struct browse *browse)
{
    if ( browse->tree.rows.open )
        browse_tree_free(&browse->tree);
    memset(&browse->tree, 0, sizeof(browse->tree));
    browse_text_free(&browse->text);
    browse->text = (struct browse_text){.text = NULL};
}

/* What there are of lines, shared out. */
static void share_lines(struct browse *browse)
{
    struct screen_part parts[] = {
        {.there = browse->verdict.count, .least = 2, .weight = 4},
        {.there = browse->reading.domains.count + 1,
         .least = browse->pane == PANE_DOMAINS ? DOMAINS_MIN : 0,
         .weight = 2},
        {.there = SIZE_MAX, .least = 3, .weight = 5},
    };
    const size_t bars = BAR_LINES + browse_has_tree(browse);
    size_t room = browse->height > bars ? browse->height - bars : 1;

    if ( browse->zoomed || !browse_has_tree(browse) )
        parts[0].there = parts[1].there = 0;
    screen_rows_share(parts, 3, room);
    /* One domain, and which others there are is not seen. */
    if ( parts[1].shown < parts[1].there && parts[1].shown < DOMAINS_MIN )
    {
        parts[2].shown += parts[1].shown;
        parts[1].shown = 0;
    }
    browse->parts = (struct browse_parts){parts[0].shown, parts[1].shown,
                                          parts[2].shown};
}

static size_t rows_below(const struct browse *browse)
{
    return browse_has_tree(browse) ? browse_tree_count(&browse->tree)
                                   : browse->text.count;
}

static void fit_cursors(struct browse *browse)
{
    const size_t taken = 1 + BAR_LINES;

    share_lines(browse);
    scroll_fit(&browse->place.scroll, rows_below(browse), browse->parts.below);
    scroll_fit(&browse->domains, browse->reading.domains.count,
               browse->parts.domains ? browse->parts.domains - 1 : 1);
    scroll_fit(&browse->page_scroll, browse->page.count,
               browse->height > taken ? browse->height - taken : 1);
}

static void make_tree(struct browse *browse)
{
    struct browse_place *place = &browse->place;
    const enum tree_order order = browse_forms[place->form].kind == KIND_CALLEES
                                      ? TREE_CALLEES
                                      : TREE_CALLERS;

    browse_tree_init(&browse->tree, &browse->reading.report, order,
                     place->symbol);
    share_lines(browse);
    if ( place->open && place->nodes == browse->tree.rows.nodes )
        fold_rows_restore(&browse->tree.rows, place->open);
    else
        browse_tree_unfold(&browse->tree, browse->parts.below);
}

/* What the place shows, of what was read for it. */
static enum exit_status make_shown(struct browse *browse,
                                   struct failure *failure)
{
    char *text;

    if ( browse_has_tree(browse) )
    {
        make_tree(browse);
        return STATUS_DONE;
    }
    text = browse_reading_print(&browse->reading, view_of(browse), failure);
    browse_text_init(&browse->text, text);
    /* Of a long function, what one looks for is not its first instruction. */
    if ( browse_forms[browse->place.form].kind == KIND_TEXT_OF &&
         !browse->place.scroll.count )
        scroll_centre(&browse->place.scroll, browse_text_hottest(&browse->text),
                      browse->text.count, browse->height);
    return text ? STATUS_DONE : failure->status;
}

/* Reads what the place needs, and shows it. */
static enum exit_status show_place(struct browse *browse,
                                   struct failure *failure)
{
    if ( browse_reading_take(&browse->reading, &browse->place, view_of(browse),
                             failure) ||
         make_shown(browse, failure) )
        return failure->status;
    make_verdict(browse);
    fit_cursors(browse);
    return STATUS_DONE;
}

/* How the place is left, for browse_go_back(). */
static void keep_open(struct browse *browse)
{
    struct browse_place *place = &browse->place;
    const struct fold_rows *rows = &browse->tree.rows;

    if ( !browse_has_tree(browse) || !rows->open )
        return;
    free(place->open);
    place->open = must(calloc(rows->nodes + 1, sizeof(*place->open)));
    place->nodes = rows->nodes;
    memcpy(place->open, rows->open, rows->nodes * sizeof(*place->open));
}

enum exit_status browse_begin(struct browse *browse,
                              const struct browse_wanted *wanted,
                              struct failure *failure)
{
    *browse = (struct browse){
        .wanted = wanted,
        .width = browse_screen_width(),
        .height = browse_screen_height(),
    };
    browse_reading_init(&browse->reading, wanted->report, wanted->session);
    browse->reading.layout.width = browse->width < BROWSE_WIDTH_MIN
                                       ? BROWSE_WIDTH_MIN
                                       : browse->width;
    browse->reading.layout.height = browse->height;
    browse->place.selection = selection_copy(&wanted->report->query->selection);
    return show_place(browse, failure);
}

void browse_end(struct browse *browse)
{
    drop_shown(browse);
    browse_text_free(&browse->verdict);
    browse_text_free(&browse->page);
    browse_place_free(&browse->place);
    browse_back_free(&browse->back);
    browse_reading_free(&browse->reading);
    browse_search_free(&browse->search);
    browse_times_free(&browse->times);
    free(browse->message);
    free(browse->command);
}

/* Shows a place in the place of another one, or, if it cannot be, that one. */
static bool change_place(struct browse *browse, struct browse_place place,
                         struct browse_place *before)
{
    struct failure failure = {.status = STATUS_DONE};
    struct failure ignored = {.status = STATUS_DONE};

    keep_open(browse);
    drop_shown(browse);
    *before = browse->place;
    browse->place = place;
    if ( !show_place(browse, &failure) )
        return true;
    browse_say(browse, must(strdup(failure.text)));
    drop_shown(browse);
    browse_place_free(&browse->place);
    browse->place = *before;
    show_place(browse, &ignored);
    return false;
}

void browse_go(struct browse *browse, struct browse_place place)
{
    struct browse_place before;

    if ( change_place(browse, place, &before) )
    {
        browse_back_push(&browse->back, before);
        browse_show_over(browse, NULL);
        browse->pane = PANE_BELOW;
        fit_cursors(browse);
    }
}

void browse_go_back(struct browse *browse)
{
    struct browse_place place, before;

    if ( !browse_back_pop(&browse->back, &place) )
    {
        browse_say(browse, must(strdup("this is what was shown first")));
        return;
    }
    if ( change_place(browse, place, &before) )
        browse_place_free(&before);
    browse->pane = PANE_BELOW;
    fit_cursors(browse);
}

/* How rows were left is known by numbers of nodes, which are others. */
static void forget_open(struct browse_place *place)
{
    free(place->open);
    place->open = NULL;
}

/* The domain that the cursor is at; all zero: none. */
static struct domain_key chosen_domain(const struct browse *browse)
{
    const struct browse_reading *reading = &browse->reading;
    const struct domain_key none = {.number = 0};

    if ( !browse->domains.at || browse->domains.at >= reading->domains.count )
        return none;
    return loaded_domain(reading->report.loaded,
                         reading->domains.items[browse->domains.at].index)
        ->key;
}

static void go_to_domain(struct browse *browse, const struct domain_key *key)
{
    const struct browse_reading *reading = &browse->reading;

    for ( size_t i = 1; i < reading->domains.count; i++ )
        if ( !memcmp(&loaded_domain(reading->report.loaded,
                                    reading->domains.items[i].index)
                          ->key,
                     key, sizeof(*key)) )
            scroll_to(&browse->domains, i);
}

void browse_renew(struct browse *browse, struct gathered_session *session)
{
    const bool tree = browse_has_tree(browse);
    const struct domain_key domain = chosen_domain(browse);
    struct failure failure = {.status = STATUS_DONE};
    struct browse_names names = {.count = 0};

    if ( tree && browse->fresh.touched )
        browse_names_note(&names, &browse->tree, browse->place.scroll.at);
    forget_open(&browse->place);
    for ( size_t i = 0; i < browse->back.count; i++ )
        forget_open(&browse->back.items[i]);
    drop_shown(browse);
    browse_reading_renew(&browse->reading, session);
    if ( show_place(browse, &failure) )
        browse_say(browse, must(strdup(failure.text)));
    else if ( tree && browse->fresh.touched )
    {
        scroll_to(&browse->place.scroll,
                  browse_names_restore(&names, &browse->tree));
        fit_cursors(browse);
    }
    go_to_domain(browse, &domain);
    browse_names_free(&names);
}

void browse_fit(struct browse *browse, size_t width, size_t height)
{
    struct failure ignored = {.status = STATUS_DONE};
    const bool wider = width != browse->width;

    browse->width = width;
    browse->height = height;
    browse->time_ends[0] = 0;
    browse->time_ends[1] = width;
    browse->reading.layout.width = width < BROWSE_WIDTH_MIN ? BROWSE_WIDTH_MIN
                                                            : width;
    browse->reading.layout.height = height;
    if ( wider )
        make_verdict(browse);
    if ( wider && !browse_has_tree(browse) )
    {
        drop_shown(browse);
        make_shown(browse, &ignored);
    }
    fit_cursors(browse);
}

struct scroll *browse_cursor(struct browse *browse)
{
    struct scroll *cursor = browse->page.count ? &browse->page_scroll
                            : browse->pane == PANE_DOMAINS
                                ? &browse->domains
                                : &browse->place.scroll;

    fit_cursors(browse);
    return cursor;
}

void browse_show_over(struct browse *browse, char *text)
{
    browse_text_free(&browse->page);
    browse_text_init(&browse->page, text);
    browse->page_scroll = (struct scroll){.at = 0};
    free(browse->command);
    browse->command = NULL;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What keys do with the lines that are shown. */
#include "browse-acts.h"

#include "base/must.h"
#include "browse-help.h"

#include <stdlib.h>
#include <string.h>

static long page_rows(struct browse *browse)
{
    const size_t height = browse_cursor(browse)->height;

    return height > 1 ? (long)height - 1 : 1;
}

void browse_act_down(struct browse *browse)
{
    scroll_move(browse_cursor(browse), 1);
}

void browse_act_up(struct browse *browse)
{
    scroll_move(browse_cursor(browse), -1);
}

void browse_act_page_down(struct browse *browse)
{
    scroll_move(browse_cursor(browse), page_rows(browse));
}

void browse_act_page_up(struct browse *browse)
{
    scroll_move(browse_cursor(browse), -page_rows(browse));
}

void browse_act_first(struct browse *browse)
{
    scroll_to(browse_cursor(browse), 0);
}

void browse_act_last(struct browse *browse)
{
    struct scroll *cursor = browse_cursor(browse);

    scroll_to(cursor, cursor->count);
}

/* Whether keys are for a row of the tree. */
static bool on_tree_row(const struct browse *browse)
{
    return !browse->page.count && browse->pane == PANE_BELOW &&
           browse_has_tree(browse) &&
           browse_tree_has(&browse->tree, browse->place.scroll.at);
}

static void set_row(struct browse *browse, bool open, bool all)
{
    if ( on_tree_row(browse) )
        fold_row_set(&browse->tree.rows, browse->place.scroll.at, open, all);
}

void browse_act_open(struct browse *browse)
{
    set_row(browse, true, false);
}

void browse_act_open_all(struct browse *browse)
{
    set_row(browse, true, true);
}

void browse_act_close_all(struct browse *browse)
{
    set_row(browse, false, true);
}

void browse_act_close(struct browse *browse)
{
    const struct fold_rows *rows = &browse->tree.rows;
    struct scroll *scroll = &browse->place.scroll;

    if ( !on_tree_row(browse) )
        return;
    if ( fold_row_is_open(rows, scroll->at) )
        set_row(browse, false, false);
    else if ( rows->items[scroll->at].parent != FOLD_NONE )
        scroll_to(scroll, rows->items[scroll->at].parent);
}

void browse_act_enter(struct browse *browse)
{
    if ( !browse->page.count && browse->pane == PANE_DOMAINS )
        browse_choose_domain(browse);
    else if ( on_tree_row(browse) )
        set_row(browse,
                !fold_row_is_open(&browse->tree.rows, browse->place.scroll.at),
                false);
}

void browse_act_pane(struct browse *browse)
{
    if ( browse_has_tree(browse) && !browse->page.count )
        browse->pane = browse->pane == PANE_DOMAINS ? PANE_BELOW : PANE_DOMAINS;
    browse->zoomed &= browse->pane != PANE_DOMAINS;
}

void browse_act_pause(struct browse *browse)
{
    struct browse_fresh *fresh = &browse->fresh;

    if ( browse->wanted->session->loaded.closed )
    {
        browse_say(browse, must(strdup("the session does not grow")));
        return;
    }
    fresh->paused = !fresh->paused;
}

void browse_act_zoom(struct browse *browse)
{
    browse->zoomed = !browse->zoomed;
    browse->pane = PANE_BELOW;
}

static void find(struct browse *browse, bool back)
{
    struct scroll *cursor = browse_cursor(browse);
    size_t row = FOLD_NONE;

    if ( !browse->search.text )
    {
        browse_say(browse, must(strdup("nothing was looked for yet: press /")));
        return;
    }
    browse->pane = PANE_BELOW;
    if ( browse->page.count )
        row = browse_text_find(&browse->page, cursor->at, back,
                               browse_search_matches, &browse->search);
    else if ( browse_has_tree(browse) )
        row = fold_rows_find(&browse->tree.rows, browse->place.scroll.at, back,
                             browse_search_matches, &browse->search);
    else
        row = browse_text_find(&browse->text, cursor->at, back,
                               browse_search_matches, &browse->search);
    cursor = browse_cursor(browse);
    if ( row != FOLD_NONE )
        scroll_to(cursor, row);
    else
        browse_say(browse,
                   must_text("no line has \"%s\"%s", browse->search.text,
                             browse_has_tree(browse)
                                 ? ", but what is below --percent-limit is "
                                   "not looked at: start with "
                                   "--percent-limit=0 to see it"
                                 : ""));
}

void browse_act_next(struct browse *browse)
{
    find(browse, false);
}

void browse_act_previous(struct browse *browse)
{
    find(browse, true);
}

void browse_act_search(struct browse *browse)
{
    browse->prompt = PROMPT_SEARCH;
}

void browse_take_search(struct browse *browse)
{
    if ( browse->typed[0] )
        browse_search_set(&browse->search, browse->typed);
    find(browse, false);
}

void browse_act_help(struct browse *browse)
{
    const bool shown = browse->page.count;

    browse_show_over(browse, shown ? NULL : browse_help());
}

void browse_act_verdict(struct browse *browse)
{
    browse_show_over(browse, must(strdup(browse->verdict.text)));
}

bool browse_leave(struct browse *browse)
{
    const bool page = browse->page.count;

    if ( page )
        browse_show_over(browse, NULL);
    else if ( !browse_has_tree(browse) && browse->back.count )
        browse_go_back(browse);
    else
        return false;
    return true;
}

void browse_act_quit(struct browse *browse)
{
    browse->quit = !browse_leave(browse);
}

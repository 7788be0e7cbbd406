/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Keys that lead from what is shown to something else. */
#include "base/must.h"
#include "base/scope.h"
#include "base/text.h"
#include "browse-acts.h"
#include "browse-copy.h"
#include "report/model/domain-text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* The same selection in another form; symbol is taken over. */
static void go_to_form(struct browse *browse, enum browse_form form,
                       char *symbol)
{
    struct browse_place place = browse_place_copy(&browse->place);

    free(place.symbol);
    place.form = form;
    place.symbol = symbol;
    browse_go(browse, place);
}

/* The same of the function that the cursor is at. */
static void go_to_function(struct browse *browse, enum browse_form form)
{
    char *symbol = NULL;

    if ( browse_has_tree(browse) && !browse->page.count )
        symbol = browse_tree_symbol(&browse->tree, browse->place.scroll.at);
    if ( symbol )
        go_to_form(browse, form, symbol);
    else
        browse_say(browse, must(strdup("no function is chosen: go to a line of "
                                       "the tree that has its name")));
}

void browse_act_callers(struct browse *browse)
{
    go_to_function(browse, BROWSE_symbol);
}

void browse_act_annotate(struct browse *browse)
{
    go_to_function(browse, BROWSE_annotate);
}

void browse_act_all_callers(struct browse *browse)
{
    go_to_form(browse, BROWSE_callers, NULL);
}

void browse_act_why(struct browse *browse)
{
    go_to_form(browse, BROWSE_why, NULL);
}

void browse_act_functions(struct browse *browse)
{
    go_to_form(browse, BROWSE_children, NULL);
}

void browse_act_back(struct browse *browse)
{
    if ( browse->page.count )
        browse_show_over(browse, NULL);
    else
        browse_go_back(browse);
}

/* Another selection, in the form that is shown, or as a tree: of a text it may
 * be that there is none.  text NULL: any. */
static void go_to_selection(struct browse *browse, enum filter_key key,
                            const char *text)
{
    struct failure failure = {.status = STATUS_DONE};
    struct browse_place place = browse_place_copy(&browse->place);

    if ( selection_set(&place.selection, key, text, &failure) )
    {
        browse_say(browse, must(strdup(failure.text)));
        browse_place_free(&place);
        return;
    }
    browse_go(browse, place);
}

/* What --filter=domain= means this domain by and, if it can be, no other. */
static char *domain_filter(const struct loaded *loaded, uint32_t index)
{
    const struct loaded_domain *domain = loaded_domain(loaded, index);
    size_t meant = 0;
    char *text;

    if ( index <= DOMAIN_INDEX_IDLE )
        return domain_text(loaded, index);
    text = must_text("%" PRId32, domain_number(domain));
    for ( uint32_t i = 0; i < loaded->domains.count; i++ )
        meant += domain_is(loaded, i, text);
    if ( meant == 1 )
        return text;
    free(text);
    text = must(malloc(UUID_TEXT));
    domain_uuid(domain, text);
    return text;
}

void browse_choose_domain(struct browse *browse)
{
    const struct browse_reading *reading = &browse->reading;
    const size_t row = browse->domains.at;
    char *text SCOPE_FREE = NULL;

    if ( row )
        text = domain_filter(reading->report.loaded,
                             reading->domains.items[row].index);
    go_to_selection(browse, FILTER_DOMAIN, text);
}

void browse_act_domain(struct browse *browse)
{
    browse_show_over(browse, NULL);
    if ( !browse_has_tree(browse) )
        go_to_form(browse, BROWSE_callgraph, NULL);
    browse->zoomed = false;
    browse->pane = PANE_DOMAINS;
}

/* All, then one mode after the other, but for idle: that is a domain. */
void browse_act_mode(struct browse *browse)
{
    const struct filter *filter = &browse->place.selection.filters[FILTER_MODE];
    unsigned int next = 0;

    while ( filter->count && next < XENOPROF_MODE_IDLE &&
            strcmp(xenoprof_mode_name(next++), filter->items[0].text) )
        continue;
    go_to_selection(browse, FILTER_MODE,
                    filter->count && next == XENOPROF_MODE_IDLE
                        ? NULL
                        : xenoprof_mode_name(next));
}

void browse_act_time(struct browse *browse)
{
    browse_show_over(browse, NULL);
    browse_times_free(&browse->times);
    browse_reading_times(&browse->reading, &browse->times);
    browse->time_ends[0] = 0;
    browse->time_ends[1] = browse->width;
    browse->time_end = 0;
    browse->prompt = PROMPT_TIME;
}

void browse_move_time(struct browse *browse, long columns)
{
    size_t *end = &browse->time_ends[browse->time_end];
    const size_t least = browse->time_end ? browse->time_ends[0] + 1 : 0;
    const size_t most = browse->time_end ? browse->width
                                         : browse->time_ends[1] - 1;
    char *text SCOPE_FREE = NULL;

    if ( !browse->times.count )
        return;
    if ( columns < 0 )
        *end = *end > least + (size_t)-columns ? *end - (size_t)-columns
                                               : least;
    else
        *end = *end + (size_t)columns < most ? *end + (size_t)columns : most;
    text = browse_times_range(&browse->times, browse->width,
                              browse->time_ends[0], browse->time_ends[1]);
    snprintf(browse->typed, sizeof(browse->typed), "%s", text);
}

void browse_take_time(struct browse *browse)
{
    go_to_selection(browse, FILTER_TIME,
                    browse->typed[0] ? browse->typed : NULL);
}

/* The command, and how it is copied. */
void browse_act_command(struct browse *browse)
{
    char *command SCOPE_FREE = NULL;

    if ( browse->command )
    {
        browse_copy(browse->command);
        browse_say(browse, must(strdup("the terminal was asked to copy it")));
        return;
    }
    command = browse_command(&browse->place,
                             browse->wanted->view[browse->place.form],
                             browse->wanted->words);
    browse_show_over(browse, browse_command_page(command, browse->width));
    browse->command = must(text_clean(command));
}

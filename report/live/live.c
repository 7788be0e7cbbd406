/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs --live: reads the session, shows a page, waits for a key. */
#include "live.h"

#include "base/scope.h"
#include "live-page.h"
#include "live-terminal.h"

#include <stdlib.h>

#define REFRESH_MS 1000 /* as often as the daemon writes a block */

static enum exit_status show_page(struct live_terminal *terminal,
                                  struct live_follow *follow,
                                  struct live_state *state,
                                  const struct query *query,
                                  const struct layout *layout,
                                  struct failure *failure)
{
    struct layout sized = *layout;
    const struct live_page page = {follow, state, query, &sized,
                                   terminal->height};
    char *text SCOPE_FREE = NULL;

    sized.width = terminal->width;
    text = live_page(&page);
    if ( !text )
        return fail_memory(failure);
    live_terminal_show(terminal, text);
    return STATUS_DONE;
}

static enum exit_status follow_session(struct live_terminal *terminal,
                                       struct live_follow *follow,
                                       const struct query *query,
                                       const struct layout *layout,
                                       struct failure *failure)
{
    struct live_state state;
    bool going = true, news;
    char key = 0;

    live_state_init(&state);
    while ( going && !state.quit && !failure->status )
    {
        if ( !state.frozen )
            live_follow_read(follow, &news, failure);
        if ( !failure->status )
            show_page(terminal, follow, &state, query, layout, failure);
        if ( failure->status )
            continue;
        going = live_terminal_wait(terminal, REFRESH_MS, &key);
        if ( key )
            live_key(&state, key, &follow->loaded);
    }
    live_state_free(&state);
    return failure->status;
}

enum exit_status live_run(const struct query *query,
                          const struct layout *layout, const char *session,
                          struct failure *failure)
{
    struct live_terminal terminal;
    struct live_follow follow;
    bool news;

    /* Errors are reported before the screen is taken. */
    if ( !live_follow_open(&follow, query, session, failure) &&
         !live_follow_read(&follow, &news, failure) &&
         !selection_apply(&query->selection, &follow.loaded, failure) )
    {
        if ( live_terminal_enter(&terminal) )
        {
            follow_session(&terminal, &follow, query, layout, failure);
            live_terminal_leave(&terminal);
        }
        else
            fail(failure, STATUS_USAGE,
                 "--live: this is not a terminal: leave out --live to write a "
                 "report, or run it where there is one");
    }
    live_follow_close(&follow);
    return failure->status;
}

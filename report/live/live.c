/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs --live: reads the session, shows a page, waits for a key. */
#include "live.h"

#include "base/clock.h"
#include "base/scope.h"
#include "live-page.h"
#include "live-terminal.h"

#include <stdlib.h>

#define REFRESH_MS 1000 /* as often as the daemon writes a block */

struct live {
    struct live_terminal terminal;
    struct live_follow follow;
    struct live_state state;
    struct live_verdict verdict;
    const struct query *query;
    const struct layout *layout;
};

static void show_page(struct live *live)
{
    struct layout sized = *live->layout;
    const struct live_page page = {&live->follow,  &live->state,
                                   &live->verdict, live->query,
                                   &sized,         live->terminal.height};
    char *text SCOPE_FREE = NULL;

    sized.width = live->terminal.width;
    if ( !live->state.frozen )
        live_verdict_make(&live->verdict, live->query, &sized,
                          live->follow.path, live->state.seconds,
                          monotonic_now());
    text = live_page(&page);
    live_terminal_show(&live->terminal, text);
}

static enum exit_status follow_session(struct live *live,
                                       struct failure *failure)
{
    bool going = true, added;
    char key = 0;

    live_state_init(&live->state);
    while ( going && !live->state.quit && !failure->status )
    {
        if ( !live->state.frozen )
            live_follow_read(&live->follow, &added, failure);
        if ( failure->status )
            continue;
        show_page(live);
        going = live_terminal_wait(&live->terminal, REFRESH_MS, &key);
        if ( key )
            live_key(&live->state, key, &live->follow.loaded);
    }
    live_state_free(&live->state);
    live_verdict_free(&live->verdict);
    return failure->status;
}

enum exit_status live_run(const struct query *query,
                          const struct layout *layout, const char *session,
                          struct failure *failure)
{
    struct live live = {.query = query, .layout = layout};
    bool added;

    /* Errors are reported before the screen is taken. */
    if ( !live_follow_open(&live.follow, query, session, failure) &&
         !live_follow_read(&live.follow, &added, failure) &&
         !selection_apply(&query->selection, &live.follow.loaded, failure) )
    {
        if ( live_terminal_enter(&live.terminal) )
        {
            follow_session(&live, failure);
            live_terminal_leave(&live.terminal);
        }
        else
            fail(failure, STATUS_USAGE,
                 "--live: this is not a terminal: leave out --live to write a "
                 "report, or run it where there is one");
    }
    live_follow_close(&live.follow);
    return failure->status;
}

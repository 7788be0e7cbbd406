/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "live.h"

#include "live-page.h"
#include "live-terminal.h"

#include <stdlib.h>

#define REFRESH_MS 1000 /* as often as a block of the session comes */

static enum report_status show_page(struct live_terminal *terminal,
                                    struct follow *follow,
                                    struct live_state *state,
                                    const struct options *options,
                                    struct complaint *complaint)
{
    struct options sized = *options;
    const struct live_page page = {follow, state, &sized, terminal->height};
    char *text;

    sized.width = terminal->width;
    text = live_page(&page);
    if ( !text )
        return complain_memory(complaint);
    live_terminal_show(terminal, text);
    free(text);
    return REPORT_OK;
}

static enum report_status follow_session(struct live_terminal *terminal,
                                         struct follow *follow,
                                         const struct options *options,
                                         struct complaint *complaint)
{
    struct live_state state;
    bool going = true, news;
    char key = 0;

    live_state_init(&state);
    while ( going && !state.quit && !complaint->status )
    {
        if ( !state.frozen )
            follow_read(follow, &news, complaint);
        if ( !complaint->status )
            show_page(terminal, follow, &state, options, complaint);
        if ( complaint->status )
            continue;
        going = live_terminal_wait(terminal, REFRESH_MS, &key);
        if ( key )
            live_key(&state, key, &follow->recording);
    }
    live_state_free(&state);
    return complaint->status;
}

enum report_status live_run(const struct options *options,
                            struct complaint *complaint)
{
    struct live_terminal terminal;
    struct follow follow;
    bool news;

    /* All that can be wrong is said before the screen is taken. */
    if ( !follow_open(&follow, options, complaint) &&
         !follow_read(&follow, &news, complaint) &&
         !selection_apply(&options->selection, &follow.recording, complaint) )
    {
        if ( live_terminal_enter(&terminal) )
        {
            follow_session(&terminal, &follow, options, complaint);
            live_terminal_leave(&terminal);
        }
        else
            complain(complaint, REPORT_USAGE,
                     "--live: this is no terminal: leave --live out to write a "
                     "report, or run it where keys and screen are");
    }
    follow_close(&follow);
    return complaint->status;
}

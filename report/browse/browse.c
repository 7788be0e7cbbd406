/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse.h"

#include "browse-fresh.h"
#include "browse-keys.h"
#include "browse-page.h"
#include "browse-screen.h"
#include "browse-state.h"

#include <curses.h>

static void follow_keys(struct browse *browse)
{
    int key = KEY_RESIZE;

    while ( !browse->quit && key >= 0 )
    {
        if ( key )
            browse_key(browse, key);
        else
            browse_fresh_turn(browse);
        if ( browse->quit )
            break;
        browse_draw(browse);
        key = browse_screen_key(browse_fresh_wait(browse));
    }
}

enum exit_status browse_run(const struct browse_wanted *wanted,
                            struct failure *failure)
{
    static struct browse browse; /* large */

    if ( !browse_screen_enter() )
        return fail(
            failure, STATUS_USAGE,
            "--browse: this kind of terminal is not known here: set "
            "TERM to one that is, such as xterm, or leave out --browse");
    if ( !browse_begin(&browse, wanted, failure) )
        follow_keys(&browse);
    browse_end(&browse);
    browse_screen_leave();
    return failure->status;
}

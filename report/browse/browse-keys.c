/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse-keys.h"

#include "browse-acts.h"
#include "browse-screen.h"

#include <curses.h>
#include <string.h>

#define ESCAPE       0x1b
#define CODES        3
#define TIME_COLUMNS 10 /* of a large step */

static const struct browse_key_row {
    int codes[CODES];
    browse_act *act;
} browse_keys[] = {
#define BROWSE_KEY(act, first, second, third, keys, hint, help)                \
    {{first, second, third}, browse_act_##act},
#include "key-table.def"
#undef BROWSE_KEY
};

#define KEYS (sizeof(browse_keys) / sizeof(browse_keys[0]))

static void leave_prompt(struct browse *browse)
{
    browse->prompt = PROMPT_NONE;
    browse->typed[0] = '\0';
    browse_times_free(&browse->times);
}

static void take_typed(struct browse *browse)
{
    if ( browse->prompt == PROMPT_SEARCH )
        browse_take_search(browse);
    else
        browse_take_time(browse);
    leave_prompt(browse);
}

/* Without the last character, which may be some bytes of UTF-8. */
static void erase_last(char *text)
{
    size_t length = strlen(text);

    while ( length && ((unsigned char)text[--length] & 0xc0) == 0x80 )
        text[length] = '\0';
    text[length] = '\0';
}

static void type_key(struct browse *browse, int key)
{
    const size_t length = strlen(browse->typed);

    if ( key == '\r' || key == '\n' || key == KEY_ENTER )
        take_typed(browse);
    else if ( key == ESCAPE )
        leave_prompt(browse);
    else if ( key == KEY_BACKSPACE || key == 0x7f || key == 0x08 )
        erase_last(browse->typed);
    else if ( key >= ' ' && key <= 0xff && length + 1 < BROWSE_TYPED_MOST )
    {
        browse->typed[length] = (char)key;
        browse->typed[length + 1] = '\0';
    }
}

/* Keys that choose a time, and type nothing.  Returns whether it was one. */
static bool choose_time(struct browse *browse, int key)
{
    switch ( key )
    {
    case KEY_LEFT: browse_move_time(browse, -1); return true;
    case KEY_RIGHT: browse_move_time(browse, 1); return true;
    case KEY_DOWN: browse_move_time(browse, -TIME_COLUMNS); return true;
    case KEY_UP: browse_move_time(browse, TIME_COLUMNS); return true;
    case '\t': browse->time_end = !browse->time_end; return true;
    default: return false;
    }
}

static browse_act *act_of(int key)
{
    for ( size_t i = 0; i < KEYS; i++ )
        for ( size_t code = 0; code < CODES; code++ )
            if ( browse_keys[i].codes[code] == key )
                return browse_keys[i].act;
    return NULL;
}

void browse_key(struct browse *browse, int key)
{
    browse_act *act = act_of(key == KEY_ENTER ? '\r' : key);

    if ( key == KEY_RESIZE )
    {
        browse_fit(browse, browse_screen_width(), browse_screen_height());
        return;
    }
    browse->fresh.touched |= key;
    browse_say(browse, NULL);
    if ( browse->prompt == PROMPT_TIME && choose_time(browse, key) )
        return;
    if ( browse->prompt )
        type_key(browse, key);
    else if ( key == ESCAPE )
        browse_leave(browse);
    else if ( key && act )
        act(browse);
}

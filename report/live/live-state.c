/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Applies keys to what the user has chosen. */
#include "live-state.h"

#include "report/model/labels.h"

#include <string.h>

#define ESCAPE    0x1b
#define DELETE    0x7f
#define BACKSPACE 0x08
#define PAGE      10u /* rows */

static const unsigned int windows[] = {10, 60, 0, 5};

void live_state_init(struct live_state *state)
{
    memset(state, 0, sizeof(*state));
    state->seconds = windows[0];
    state->domain = state->mode = LIVE_ANY;
}

static void drop_regex(struct live_state *state)
{
    if ( state->matching )
        regfree(&state->regex);
    state->matching = false;
}

void live_state_free(struct live_state *state)
{
    drop_regex(state);
}

/* Called at each key; an incomplete expression matches all. */
static void take_pattern(struct live_state *state)
{
    drop_regex(state);
    state->first = 0;
    state->matching = *state->pattern && !regcomp(&state->regex, state->pattern,
                                                  REG_EXTENDED | REG_NOSUB);
}

static void type(struct live_state *state, char key)
{
    size_t length = strlen(state->pattern);

    if ( key == '\n' || key == '\r' )
        state->typing = false;
    else if ( key == ESCAPE )
    {
        state->typing = false;
        *state->pattern = '\0';
    }
    else if ( key == DELETE || key == BACKSPACE )
        state->pattern[length ? length - 1 : 0] = '\0';
    else if ( (unsigned char)key >= ' ' && length + 1 < LIVE_PATTERN_MAX )
    {
        state->pattern[length] = key;
        state->pattern[length + 1] = '\0';
    }
    take_pattern(state);
}

static void next_window(struct live_state *state)
{
    size_t count = sizeof(windows) / sizeof(windows[0]), at = 0;

    while ( at + 1 < count && windows[at] != state->seconds )
        at++;
    state->seconds = windows[(at + 1) % count];
}

/* Step through "any", then each of count values. */
static uint32_t next_of(uint32_t now, size_t count)
{
    uint32_t next = now == LIVE_ANY ? 0 : now + 1;

    return next < count ? next : LIVE_ANY;
}

/* Domains first, the newest last; then what is none. */
static uint32_t next_domain(uint32_t now, const struct loaded *loaded)
{
    uint32_t first = DOMAIN_INDEX_IDLE + 1;
    uint32_t count = (uint32_t)loaded->domains.count;

    if ( now == LIVE_ANY && count > first )
        return first;
    if ( now != LIVE_ANY && now >= first && now + 1 < count )
        return now + 1;
    if ( now == DOMAIN_INDEX_IDLE )
        return LIVE_ANY;
    return now == DOMAIN_INDEX_OTHER ? DOMAIN_INDEX_IDLE : DOMAIN_INDEX_OTHER;
}

static void scroll_rows(struct live_state *state, bool down, size_t rows)
{
    if ( down )
        state->first += rows;
    else
        state->first = state->first > rows ? state->first - rows : 0;
}

static void press_key(struct live_state *state, char key,
                      const struct loaded *loaded)
{
    switch ( key )
    {
    case 'q': state->quit = true; break;
    case ' ': state->frozen = !state->frozen; break;
    case 's':
        state->sort = (enum live_sort)((state->sort + 1) % LIVE_SORTS);
        break;
    case 'w': next_window(state); break;
    case 'd': state->domain = next_domain(state->domain, loaded); break;
    case 'm': state->mode = next_of(state->mode, XENOPROF_MODES); break;
    case '/': state->typing = true; break;
    case 'h':
    case '?': state->help = !state->help; break;
    case LIVE_KEY_DOWN:
    case LIVE_KEY_UP: scroll_rows(state, key == LIVE_KEY_DOWN, PAGE); return;
    case ESCAPE:
        *state->pattern = '\0';
        state->domain = state->mode = LIVE_ANY;
        take_pattern(state);
        break;
    default: return;
    }
    state->first = 0;
}

void live_key(struct live_state *state, char key, const struct loaded *loaded)
{
    if ( state->typing )
        type(state, key);
    else
        press_key(state, key, loaded);
}

static bool matches_search(const struct live_state *state,
                           const struct loaded *loaded, const struct cell *cell)
{
    const char *name = names_text(&loaded->names, cell_name(cell)->symbol);

    return !cell_placeless(cell) && name &&
           !regexec(&state->regex, label_short_symbol(name), 0, NULL, 0);
}

bool live_shows(const struct live_state *state, const struct loaded *loaded,
                const struct cell *cell)
{
    return (state->domain == LIVE_ANY || state->domain == cell->key.domain) &&
           (state->mode == LIVE_ANY || state->mode == cell->key.mode) &&
           (!state->matching || matches_search(state, loaded, cell));
}

const char *live_sort_name(enum live_sort sort)
{
    static const char *const names[LIVE_SORTS] = {
        [LIVE_BY_TIME] = "time",
        [LIVE_BY_SAMPLES] = "samples",
        [LIVE_BY_NAME] = "name",
    };

    return names[sort];
}

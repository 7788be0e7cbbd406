/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the user of --live has chosen, and the keys that change it.
 */
#ifndef XENOPROF_REPORT_LIVE_LIVE_STATE_H
#define XENOPROF_REPORT_LIVE_LIVE_STATE_H

#include "report/model/loaded.h"

#include <regex.h>

enum live_sort { LIVE_BY_TIME, LIVE_BY_SAMPLES, LIVE_BY_NAME, LIVE_SORTS };

/* What arrow and page keys become. */
#define LIVE_KEY_UP   '\001'
#define LIVE_KEY_DOWN '\002'

#define LIVE_PATTERN_MAX 64u
#define LIVE_ANY         UINT32_MAX /* any domain, any mode */

struct live_state {
    unsigned int seconds; /* in the window; 0: since the start */
    enum live_sort sort;
    uint32_t domain; /* index, or LIVE_ANY */
    uint32_t mode;   /* or LIVE_ANY */
    bool frozen;
    bool quit;
    bool help;
    bool typing; /* keys go into pattern */
    char pattern[LIVE_PATTERN_MAX];
    regex_t regex; /* of pattern */
    bool matching; /* regex is compiled */
    size_t first;  /* index of the row on top */
};

void live_state_init(struct live_state *state);
void live_state_free(struct live_state *state);

/* Take one byte from the keyboard.  Domains are those of loaded. */
void live_key(struct live_state *state, char key, const struct loaded *loaded);

/* Returns whether a cell is shown. */
bool live_shows(const struct live_state *state, const struct loaded *loaded,
                const struct cell *cell);

const char *live_sort_name(enum live_sort sort);

#endif

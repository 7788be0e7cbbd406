/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --browse shows at a time, and how it comes to show something else.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_STATE_H
#define XENOPROF_REPORT_BROWSE_BROWSE_STATE_H

#include "browse-names.h"
#include "browse-reading.h"
#include "browse-search.h"
#include "browse-text.h"
#include "browse-tree.h"

#define BROWSE_TYPED_MOST 200u

enum browse_pane { PANE_BELOW, PANE_DOMAINS };
enum browse_prompt { PROMPT_NONE, PROMPT_SEARCH, PROMPT_TIME };

/* Lines of the screen. */
struct browse_parts {
    size_t verdict;
    size_t domains; /* with their title */
    size_t below;   /* without its title */
};

/* What there is of the session that is not read yet. */
struct browse_fresh {
    bool reading; /* all of it, while keys are taken: */
    unsigned int percent;
    uint64_t end;   /* of the session, Xen's time */
    uint64_t bytes; /* that it had when it was read last */
    uint64_t next;  /* not before then, monotonic_now() */
    uint64_t drawn; /* when the screen was, while it is read */
    bool touched;   /* keys came since the session's beginning is shown */
    bool paused;    /* what is shown stays */
};

struct browse {
    const struct browse_wanted *wanted;
    struct browse_fresh fresh;
    struct browse_reading reading;
    struct browse_place place;
    struct browse_back back;

    struct browse_tree tree; /* of forms that are trees; */
    struct browse_text text; /* ... of others */
    struct browse_text verdict;
    struct browse_text page; /* over all else: help, a command; or empty */
    struct scroll page_scroll;
    struct scroll domains;
    size_t width, height; /* of the screen that all was made for */
    struct browse_parts parts;
    enum browse_pane pane;
    bool zoomed; /* nothing is above */

    enum browse_prompt prompt;
    char typed[BROWSE_TYPED_MOST];
    struct browse_times times; /* while a time is typed, or chosen: */
    size_t time_ends[2];       /* columns from which and up to which */
    unsigned int time_end;     /* which of them moves */
    struct browse_search search;
    char *message; /* of the last key; or NULL */
    char *command; /* that is shown; or NULL */
    bool quit;
};

/* Begins with the tree of what the command line selects. */
enum exit_status browse_begin(struct browse *browse,
                              const struct browse_wanted *wanted,
                              struct failure *failure);
void browse_end(struct browse *browse);

/* Shows another place, which is taken over, or says why not: then all is as
 * before. */
void browse_go(struct browse *browse, struct browse_place place);
/* Shows what was shown before. */
void browse_go_back(struct browse *browse);

/* Shows the same of a session that was read anew, which is taken over: rows
 * stay open, and cursors where they are, by name. */
void browse_renew(struct browse *browse, struct gathered_session *session);

/* The screen has that size from here on. */
void browse_fit(struct browse *browse, size_t width, size_t height);

/* Returns the cursor that keys move, with the rows that there are. */
struct scroll *browse_cursor(struct browse *browse);

/* Shows a text over all else, taken over; NULL: nothing is any more. */
void browse_show_over(struct browse *browse, char *text);

/* A sentence for the user, taken over. */
void browse_say(struct browse *browse, char *sentence);

static inline bool browse_has_tree(const struct browse *browse)
{
    return !browse_form_is_text(browse->place.form);
}

#endif

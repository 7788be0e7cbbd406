/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a user looks for: an extended regular expression, or, if it is none, a
 * part of a text; capitals are as small letters unless there are any in it.
 */
#ifndef XENOPROF_REPORT_BROWSE_BROWSE_SEARCH_H
#define XENOPROF_REPORT_BROWSE_BROWSE_SEARCH_H

#include <regex.h>
#include <stdbool.h>

struct browse_search {
    char *text; /* NULL: nothing was looked for yet */
    regex_t regex;
    bool compiled;
};

void browse_search_set(struct browse_search *search, const char *text);
void browse_search_free(struct browse_search *search);

/* Whether a text is matched; context is the struct browse_search. */
bool browse_search_matches(const void *context, const char *text);

#endif

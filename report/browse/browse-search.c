/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse-search.h"

#include "base/must.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void browse_search_free(struct browse_search *search)
{
    if ( search->compiled )
        regfree(&search->regex);
    free(search->text);
    *search = (struct browse_search){.text = NULL};
}

static bool has_capital(const char *text)
{
    while ( *text && !isupper((unsigned char)*text) )
        text++;
    return *text;
}

void browse_search_set(struct browse_search *search, const char *text)
{
    const int flags = REG_EXTENDED | REG_NOSUB |
                      (has_capital(text) ? 0 : REG_ICASE);
    char *copy = must(strdup(text));

    browse_search_free(search);
    search->text = copy;
    search->compiled = !regcomp(&search->regex, copy, flags);
}

bool browse_search_matches(const void *context, const char *text)
{
    const struct browse_search *search = context;

    return search->compiled ? !regexec(&search->regex, text, 0, NULL, 0)
                            : strstr(text, search->text) != NULL;
}

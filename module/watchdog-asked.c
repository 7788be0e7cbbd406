/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options are words; what Xen does not understand changes nothing. */
#include "watchdog-asked.h"

#include <stdlib.h>
#include <string.h>

/* What a word says. */
enum asked { ASKED_NOTHING, ASKED_OFF, ASKED_ON };

/* Returns what comes after name in a word, or NULL if it is another word. */
static const char *after(const char *word, const char *name)
{
    size_t length = strlen(name);

    return strncmp(word, name, length) ? NULL : word + length;
}

static bool is_one_of(const char *text, size_t length, const char *const *list)
{
    for ( ; *list; list++ )
        if ( strlen(*list) == length && !strncmp(text, *list, length) )
            return true;
    return false;
}

static enum asked of_value(const char *text, size_t length)
{
    static const char *const on[] = {"1",      "on",    "yes", "true",
                                     "enable", "force", "",    NULL};
    static const char *const off[] = {"0",     "no",      "off",
                                      "false", "disable", NULL};

    if ( is_one_of(text, length, on) )
        return ASKED_ON;
    return is_one_of(text, length, off) ? ASKED_OFF : ASKED_NOTHING;
}

static enum asked of_word(const char *word, size_t length)
{
    const char *end = word + length, *text;

    if ( length == strlen("watchdog") && after(word, "watchdog") )
        return ASKED_ON;
    if ( length == strlen("no-watchdog") && after(word, "no-watchdog") )
        return ASKED_OFF;
    text = after(word, "watchdog=");
    if ( text )
        return of_value(text, (size_t)(end - text));
    text = after(word, "watchdog_timeout=");
    if ( text )
        return strtoull(text, NULL, 0) ? ASKED_ON : ASKED_OFF;
    return ASKED_NOTHING;
}

bool watchdog_asked(const char *line)
{
    bool ret = false;

    while ( *(line += strspn(line, " ")) )
    {
        size_t length = strcspn(line, " ");
        enum asked asked = of_word(line, length);

        if ( asked != ASKED_NOTHING )
            ret = asked == ASKED_ON;
        line += length;
    }
    return ret;
}

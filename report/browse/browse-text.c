/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse-text.h"

#include "base/must.h"
#include "base/scope.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void browse_text_init(struct browse_text *lines, char *text)
{
    *lines = (struct browse_text){.text = text};
    for ( const char *at = text; at && *at; )
    {
        const char **line = must(vector_add(lines));

        *line = at;
        at += strcspn(at, "\n");
        at += *at == '\n';
    }
}

void browse_text_free(struct browse_text *lines)
{
    free(lines->text);
    vector_free(lines);
}

/* Without colours: what is seen is matched. */
static char *plain_line(const char *line)
{
    char *plain = must(malloc(strcspn(line, "\n") + 1)), *to = plain;

    while ( *line && *line != '\n' )
    {
        if ( *line != '\033' )
        {
            *to++ = *line++;
            continue;
        }
        line += strcspn(line, "m\n");
        line += *line == 'm';
    }
    *to = '\0';
    return plain;
}

size_t browse_text_find(const struct browse_text *lines, size_t from, bool back,
                        bool (*match)(const void *context, const char *text),
                        const void *context)
{
    const size_t count = lines->count;

    for ( size_t i = 1; i <= count; i++ )
    {
        const size_t at = (back ? from + count - i : from + i) % count;
        char *plain SCOPE_FREE = plain_line(lines->items[at]);

        if ( match(context, plain) )
            return at;
    }
    return SIZE_MAX;
}

size_t browse_text_hottest(const struct browse_text *lines)
{
    size_t hottest = 0;
    double most = 0;

    for ( size_t i = 0; i < lines->count; i++ )
    {
        char *plain SCOPE_FREE = plain_line(lines->items[i]), *end;
        const double percent = strtod(plain, &end);

        if ( *end == '%' && percent > most )
        {
            hottest = i;
            most = percent;
        }
    }
    return hottest;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The header's line on other livepatches: what their code does to stacks. */
#include "report/model/format.h"
#include "flat-header.h"
#include "header-line.h"

#include <session-attributes.h>
#include <string.h>

/* "hotfix (below the profiler's)" */
static void add_payload(struct header_line *line, const char *word,
                        size_t length)
{
    const char *end = word + length, *value = memrchr(word, '=', length);

    if ( !value )
        value = end;
    header_line_add(line, "%.*s", (int)(value - word), word);
    if ( value < end )
        header_line_add(line, " (%.*s the profiler's)", (int)(end - value - 1),
                        value + 1);
}

static void add_payloads(struct header_line *line, const char *text)
{
    const char *between = "";

    if ( !strcmp(text, "none") )
        header_line_add(line, "none");
    else
        for ( ; *text; text += strspn(text, " ") )
        {
            size_t length = strcspn(text, " ");

            header_line_add(line, "%s", between);
            add_payload(line, text, length);
            between = ", ";
            text += length;
        }
}

/* Each change since the session began. */
bool flat_header_payloads(const struct report *report, FILE *file)
{
    const struct loaded *loaded = report->loaded;
    struct header_line line = header_line_begin(report, file);
    const char *before = "";

    for ( size_t i = 0; i < loaded->attribute_count; i++ )
    {
        const struct attribute *attribute = &loaded->attributes[i];
        const char *value = names_text(&loaded->names, attribute->value);
        uint64_t at = loaded_since(loaded, attribute->time);
        char since[CLOCK_TEXT];

        if ( strcmp(names_text(&loaded->names, attribute->key),
                    SESSION_ATTRIBUTE_PAYLOADS) ||
             !strcmp(value, before) )
            continue;
        clock_format_length(at, since);
        if ( *before || at )
            header_line_add(&line, "%sfrom %s on: ", *before ? "; " : "",
                            since);
        add_payloads(&line, value);
        before = value;
    }
    if ( *before )
        header_line_add(&line, "; chains that come to their code end there");
    return header_line_end(&line, "patches");
}

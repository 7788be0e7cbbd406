/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse-help.h"

#include "base/must.h"
#include "report/model/format.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct browse_help_row {
    const char *keys, *hint, *help;
} browse_helps[] = {
#define BROWSE_KEY(act, first, second, third, keys, hint, help)                \
    {keys, hint, help},
#include "key-table.def"
#undef BROWSE_KEY
};

#define HELPS (sizeof(browse_helps) / sizeof(browse_helps[0]))

char *browse_hints(size_t width)
{
    char *text = must(calloc(width + 1, 1));

    for ( size_t i = 0; i < HELPS; i++ )
    {
        const char *hint = browse_helps[i].hint;

        if ( hint && strlen(text) + 2 + strlen(hint) <= width )
            sprintf(text + strlen(text), "%s%s", *text ? "  " : "", hint);
    }
    return text;
}

char *browse_help(void)
{
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    for ( size_t i = 0; i < HELPS; i++ )
        fprintf(file, "%-12s %s\n", browse_helps[i].keys, browse_helps[i].help);
    return format_close(file, &text);
}

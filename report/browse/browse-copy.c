/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse-copy.h"

#include "base/json-writer.h"
#include "base/must.h"
#include "base/scope.h"
#include "base/text.h"
#include "browse-screen.h"
#include "report/model/format.h"

#include <stdlib.h>
#include <string.h>

#define CONTINUED " \\"

/* Bytes up to the blank at which a shell's next word begins, or to the end. */
static size_t word_length(const char *text)
{
    size_t length = 0;
    char quote = '\0';

    for ( ; text[length] && (quote || text[length] != ' '); length++ )
        if ( text[length] == '\\' && !quote && text[length + 1] )
            length++;
        else if ( text[length] == '\'' )
            quote = quote ? '\0' : '\'';
    return length;
}

char *browse_command_page(const char *command, size_t width)
{
    char *clean SCOPE_FREE = must(text_clean(command));
    char *text = NULL;
    size_t size, used = 0;
    FILE *file = must(open_memstream(&text, &size));

    fputs("This prints what is shown:\n\n", file);
    for ( const char *at = clean; *at; )
    {
        const size_t length = word_length(at);

        if ( used && used + 1 + length + strlen(CONTINUED) > width )
        {
            fputs(CONTINUED "\n", file);
            used = 0;
        }
        used += (size_t)fprintf(file, "%s%.*s", used ? " " : "", (int)length,
                                at);
        at += length;
        at += *at == ' ';
    }
    fputs("\n\ny copies it, q goes back\n", file);
    return format_close(file, &text);
}

void browse_copy(const char *text)
{
    char *bytes SCOPE_FREE = NULL;
    size_t size;
    FILE *file = must(open_memstream(&bytes, &size));

    fputs("\033]52;c;", file);
    base64_put(text, strlen(text), file);
    fputs("\a", file);
    browse_screen_send(format_close(file, &bytes));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "screen.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tree_lines lines_utf8 = {"├ ", "└ ", "│ ", "  ", "±", "… "};
static const struct tree_lines lines_ascii = {"|-", "`-", "| ",
                                              "  ", "~",  "> "};

/* Apart also for those who do not see red and green as two colours. */
static const char *const codes[COLOURS] = {
    [COLOUR_XEN] = "1;33", [COLOUR_KERNEL] = "36", [COLOUR_USER] = "39",
    [COLOUR_MARK] = "2",   [COLOUR_GROUP] = "1",   [COLOUR_HOT] = "1",
    [COLOUR_MORE] = "31",  [COLOUR_LESS] = "34",
};

static bool terminal_has_colours(void)
{
    const char *no = getenv("NO_COLOR"), *kind = getenv("TERM");

    return isatty(STDOUT_FILENO) && !(no && *no) && kind &&
           strcmp(kind, "dumb");
}

enum exit_status screen_init(struct screen *screen, const char *when,
                             struct failure *failure)
{
    screen->utf8 = !strcmp(nl_langinfo(CODESET), "UTF-8");
    screen->lines = screen->utf8 ? &lines_utf8 : &lines_ascii;
    screen->colour = terminal_has_colours();
    if ( !strcmp(when, "always") )
        screen->colour = true;
    else if ( !strcmp(when, "never") )
        screen->colour = false;
    else if ( strcmp(when, "auto") )
        return fail(failure, STATUS_USAGE,
                    "--color: unknown value \"%s\": give auto, always or "
                    "never",
                    when);
    return STATUS_DONE;
}

void screen_begin(const struct screen *screen, enum colour colour, FILE *file)
{
    if ( screen->colour )
        fprintf(file, "\033[%sm", codes[colour]);
}

void screen_end(const struct screen *screen, FILE *file)
{
    if ( screen->colour )
        fputs("\033[0m", file);
}

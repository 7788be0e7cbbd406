/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The log is ASCII: a name in it cannot make a line, or move a cursor. */
#include <stdio.h>
#include <unistd.h>

#include "daemon/system/say.h"
#include "tests/harness.h"

/* What a note with this name in it is in the log. */
static const char *logged(const char *name)
{
    static char text[4096];
    FILE *file = tmpfile();
    int old = dup(STDERR_FILENO);
    size_t size;

    CHECK(file);
    CHECK(dup2(fileno(file), STDERR_FILENO) >= 0);
    say_open(true);
    say_note("domain %s is new", name);
    dup2(old, STDERR_FILENO);
    close(old);
    rewind(file);
    size = fread(text, 1, sizeof(text) - 1, file);
    text[size] = '\0';
    fclose(file);
    return text;
}

TEST(a_plain_name_is_logged_as_it_is)
{
    CHECK_TEXT(logged("web-1"), "xenoprofd: domain web-1 is new\n");
}

TEST(a_name_cannot_forge_a_line_of_the_log)
{
    CHECK_TEXT(logged("a\nxenoprofd: all is well"),
               "xenoprofd: domain a\\x0axenoprofd: all is well is new\n");
    CHECK_TEXT(logged("\x1b[2J\xff"),
               "xenoprofd: domain \\x1b[2J\\xff is new\n");
}

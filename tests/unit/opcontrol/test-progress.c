/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "opcontrol/progress.h"
#include "tests/harness.h"

static char text[200];

static const char *say(const char *line)
{
    struct status_waiting waiting = {.state = ""};

    status_take_waiting(&waiting, line);
    waiting_say(&waiting, text, sizeof(text));
    return text;
}

TEST(progress_in_words)
{
    CHECK_TEXT(say("progress state=stopping samples=1204 bytes=9 guests=2 "
                   "left=7"),
               "1204 samples wait for names of 2 domains, at most 7 s "
               "more");
    CHECK_TEXT(say("waiting samples=1 bytes=9 guests=1"),
               "1 sample waits for names of 1 domain");
    CHECK_TEXT(say("progress samples=0 left=1"),
               "the last samples and names are to come, at most 1 s more");
    CHECK_TEXT(
        say("progress state=starting samples=0 guests=0 sought=2 left=9"),
        "before sampling the kernels of 2 domains are looked for, at "
        "most 9 s more");
    CHECK_TEXT(say("progress state=starting sought=1"),
               "before sampling the kernel of 1 domain is looked for");
    CHECK_TEXT(say("progress"), "the last samples and names are to come");
}

/* Shows these lines in turn. */
static char *show(bool terminal, const char *first, const char *second)
{
    struct progress progress;
    char *shown;
    size_t size;
    FILE *file = open_memstream(&shown, &size);

    progress_begin(&progress, file);
    CHECK(!progress.terminal);
    progress.terminal = terminal;
    progress_show(&progress, first);
    progress_show(&progress, second);
    progress_end(&progress);
    progress_end(&progress);
    fclose(file);
    return shown;
}

TEST(progress_line_by_line)
{
    char *shown = show(false, "progress state=stopping samples=10 guests=2",
                       "progress state=running samples=9 guests=1");

    CHECK_TEXT(shown, "xenopctl: stopping: 10 samples wait for names of 2 "
                      "domains\n"
                      "xenopctl: 9 samples wait for names of 1 domain\n");
    free(shown);
}

TEST(progress_elsewhere_is_not_a_line_a_second)
{
    char *shown = show(false, "progress samples=10 guests=2 left=30",
                       "progress samples=9 guests=2 left=29");

    CHECK_TEXT(shown, "xenopctl: 10 samples wait for names of 2 "
                      "domains, at most 30 s more\n");
    free(shown);
    shown = show(false, "progress samples=10 guests=2 left=30",
                 "progress samples=9 guests=2 left=20");
    CHECK(strstr(shown, "\nxenopctl: 9 samples wait"));
    free(shown);
}

/* Nothing is left of a line that was longer. */
TEST(progress_on_a_terminal)
{
    char *shown = show(true, "progress samples=100 guests=1",
                       "progress samples=99 guests=1");

    CHECK_TEXT(shown, "\rxenopctl: 100 samples wait for names of 1 domain"
                      "\rxenopctl: 99 samples wait for names of 1 domain \n");
    free(shown);
}

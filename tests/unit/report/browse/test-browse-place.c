/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which command prints what --browse shows, and the way back. */
#include "base/must.h"
#include "report/browse/browse-copy.h"
#include "report/browse/browse-place.h"
#include "report/browse/browse-search.h"
#include "report/browse/browse-text.h"
#include "tests/harness.h"

#include <string.h>

static const struct view callgraph = {.option = "callgraph"};
static const struct view symbol = {.option = "symbol"};

static void set(struct browse_place *place, enum filter_key key,
                const char *text)
{
    struct failure failure = {.status = STATUS_DONE};

    CHECK_EQ(selection_set(&place->selection, key, text, &failure), 0);
}

static void check_command(const struct browse_place *place,
                          const struct view *view, const char *const *words,
                          const char *wanted)
{
    char *text = browse_command(place, view, words);

    CHECK_TEXT(text, wanted);
    free(text);
}

TEST(the_command_has_what_is_selected)
{
    const char *const words[] = {"--session=s",     "--browse",  "-f",
                                 "mode=user",       "--last=1m", "-fmode=xen",
                                 "--filter=pcpu=1", "--sort",    "domain,unit",
                                 "--lines",         NULL};
    struct browse_place place = {.form = BROWSE_callgraph};

    check_command(&place, &callgraph, words,
                  "xenopreport --session=s --sort domain,unit --lines "
                  "--callgraph");
    set(&place, FILTER_DOMAIN, "web, \\db");
    set(&place, FILTER_TIME, "1..2");
    set(&place, FILTER_MODE, "xen");
    set(&place, FILTER_MODE, "kernel");
    check_command(&place, &callgraph, words,
                  "xenopreport --session=s --sort domain,unit --lines "
                  "'--filter=domain=web\\, \\\\db' --filter=mode=kernel "
                  "--filter=time=1..2 --callgraph");
    CHECK(!time_range_all(&place.selection.range));
    set(&place, FILTER_TIME, NULL);
    set(&place, FILTER_DOMAIN, NULL);
    CHECK(time_range_all(&place.selection.range));
    place.symbol = must(strdup("it's; rm -rf /"));
    check_command(&place, &symbol, words,
                  "xenopreport --session=s --sort domain,unit --lines "
                  "--filter=mode=kernel '--symbol=it'\\''s; rm -rf /'");
    place.form = BROWSE_annotate;
    check_command(&place, &symbol, (const char *const[]){"--lines", NULL},
                  "xenopreport --filter=mode=kernel "
                  "'--symbol=it'\\''s; rm -rf /'");
    browse_place_free(&place);
}

/* Lines are cut between words of the shell's, never in one. */
TEST(a_long_command_is_one_for_a_shell)
{
    char *page = browse_command_page("xenopreport --session=abc "
                                     "'--symbol=a b'\\''c d' --x\033y",
                                     40);

    CHECK(strstr(page, "xenopreport --session=abc \\\n"
                       "'--symbol=a b'\\''c d' --x\\x1by\n"));
    free(page);
}

TEST(the_way_back_is_as_long_as_it_may_be)
{
    struct browse_back back = {.count = 0};
    struct browse_place place = {.form = BROWSE_why};

    for ( unsigned int i = 0; i < BROWSE_BACK_MOST + 3; i++ )
    {
        struct browse_place next = browse_place_copy(&place);

        next.scroll.at = i;
        browse_back_push(&back, next);
    }
    CHECK_EQ(back.count, BROWSE_BACK_MOST);
    CHECK_EQ(back.items[0].scroll.at, 3);
    CHECK(browse_back_pop(&back, &place));
    CHECK_EQ(place.scroll.at, BROWSE_BACK_MOST + 2);
    browse_place_free(&place);
    browse_back_free(&back);
    back = (struct browse_back){.count = 0};
    CHECK(!browse_back_pop(&back, &place));
}

TEST(patterns_are_expressions_or_texts)
{
    struct browse_search search = {.text = NULL};

    browse_search_set(&search, "vfs_.*d$");
    CHECK(browse_search_matches(&search, "VFS_read"));
    CHECK(!browse_search_matches(&search, "vfs_reads"));
    browse_search_set(&search, "Vfs");
    CHECK(!browse_search_matches(&search, "vfs_read"));
    browse_search_set(&search, "f(");
    CHECK(browse_search_matches(&search, "std::f(int)"));
    CHECK(!browse_search_matches(&search, "std::f"));
    browse_search_free(&search);
}

TEST(the_hottest_line_is_found)
{
    struct browse_text text;

    browse_text_init(&text, must(strdup("100 samples\n  5.00%  a\n"
                                        "\033[1m 50.00%\033[0m  b\n"
                                        " 50.00%  c\n90 %\n")));
    CHECK_EQ(browse_text_hottest(&text), 2);
    browse_text_free(&text);
    browse_text_init(&text, NULL);
    CHECK_EQ(browse_text_hottest(&text), 0);
    browse_text_free(&text);
}

TEST(lines_are_found_as_they_are_seen)
{
    struct browse_search search = {.text = NULL};
    struct browse_text text;

    browse_text_init(&text, must(strdup("one\n\033[1mtw\033[0mo\nthree\ntwo")));
    CHECK_EQ(text.count, 4);
    browse_search_set(&search, "^two$");
    CHECK_EQ(browse_text_find(&text, 0, false, browse_search_matches, &search),
             1);
    CHECK_EQ(browse_text_find(&text, 1, false, browse_search_matches, &search),
             3);
    CHECK_EQ(browse_text_find(&text, 0, true, browse_search_matches, &search),
             3);
    browse_search_set(&search, "four");
    CHECK(browse_text_find(&text, 0, false, browse_search_matches, &search) ==
          SIZE_MAX);
    browse_search_free(&search);
    browse_text_free(&text);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/picture/markup.h"
#include "tests/harness.h"

#include <stdlib.h>
#include <string.h>

static void check_clean(const char *text, const char *wanted)
{
    char *clean = markup_clean(text);

    CHECK_TEXT(clean, wanted);
    free(clean);
}

TEST(markup_clean_keeps_what_has_a_shape)
{
    check_clean("", "");
    check_clean("std::map<int, \"x\">&'", "std::map<int, \"x\">&'");
    check_clean("\xc3\xbc\xe6\x97\xa5\xf0\x9f\x90\xa7", "\xc3\xbc\xe6\x97\xa5"
                                                        "\xf0\x9f\x90\xa7");
    check_clean("\xd7\xa9\xd7\x9c", "\xd7\xa9\xd7\x9c");
}

TEST(markup_clean_spells_out_the_rest)
{
    check_clean("a\x1b[31m\n\t\x7f", "a\\x1b[31m\\x0a\\x09\\x7f");
    check_clean("\xc2\x9b", "\\u{9b}");
    check_clean("\xe2\x80\xae\xe2\x81\xa6\xef\xbb\xbf",
                "\\u{202e}\\u{2066}\\u{feff}");
    check_clean("\xef\xbf\xbe\xef\xbf\xbf", "\\u{fffe}\\u{ffff}");
    check_clean("\xf3\xa0\x80\x81", "\\u{e0001}");
}

TEST(markup_clean_takes_no_broken_utf8)
{
    check_clean("\xff\xc3", "\\xff\\xc3");
    check_clean("\xc0\xaf\xe0\x80\xaf", "\\xc0\\xaf\\xe0\\x80\\xaf");
    check_clean("\xed\xa0\x80", "\\u{d800}");
    check_clean("\xf4\x90\x80\x80", "\\xf4\\x90\\x80\\x80");
    check_clean("\xe6\x97", "\\xe6\\x97");
}

static void check_put(const char *clean, size_t most, const char *wanted)
{
    char *text = NULL;
    size_t size;
    FILE *file = open_memstream(&text, &size);

    CHECK(file);
    markup_put(file, clean, most);
    CHECK(!fclose(file));
    CHECK_TEXT(text, wanted);
    free(text);
}

TEST(markup_put_writes_entities)
{
    check_put("<a b=\"c\" d='e'>&", MARKUP_ALL,
              "&lt;a b=&quot;c&quot; d=&#39;e&#39;&gt;&amp;");
    check_put("]]>", MARKUP_ALL, "]]&gt;");
}

TEST(markup_put_cuts_whole_characters)
{
    check_put("abcdef", 6, "abcdef");
    check_put("abcdefg", 6, "abcd..");
    check_put("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 4,
              "\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc");
    check_put("\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc\xc3\xbc", 4,
              "\xc3\xbc\xc3\xbc..");
    CHECK_EQ(markup_length("\xc3\xbc\xc3\xbcx"), 3);
}

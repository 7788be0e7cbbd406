/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdlib.h>
#include <string.h>

#include "control/protocol.h"
#include "tests/harness.h"

static const char *write_text(const char *value)
{
    static char *line;
    size_t size;
    FILE *file;

    free(line);
    file = open_memstream(&line, &size);
    line_begin(file, "word");
    line_text(file, "key", value);
    fclose(file);
    return line;
}

static void check_round(const char *value)
{
    char back[64];

    CHECK(line_get_text(write_text(value), "key", back, sizeof(back)));
    CHECK_TEXT(back, value);
}

TEST(line_values_may_be_any_text)
{
    check_round("");
    check_round("plain");
    check_round("two words");
    check_round("100%\n\t%41\x7f");
    check_round("\xc3\xa4\xff");
    check_round("a=b c=d");
    CHECK_TEXT(write_text("a b%"), "word key=a%20b%25");
}

TEST(line_words_are_whole)
{
    CHECK(line_is("stop", "stop"));
    CHECK(line_is("stop a=b", "stop"));
    CHECK(!line_is("stopped", "stop"));
    CHECK(!line_is("sto", "stop"));
}

TEST(line_finds_keys)
{
    char value[8];

    CHECK(line_get_text("w aa=1 a=2", "a", value, sizeof(value)));
    CHECK_TEXT(value, "2");
    CHECK(!line_get_text("w b=a=1", "a", value, sizeof(value)));
    CHECK(!line_get_text("a=1", "a", value, sizeof(value)));
    CHECK_EQ(line_get_number("w n=42", "n"), 42);
    CHECK_EQ(line_get_number("w n=-1", "n"), 0);
    CHECK_EQ(line_get_number("w", "n"), 0);
}

TEST(line_values_that_are_no_encoding)
{
    static const char *const bad[] = {"w k=%", "w k=%4", "w k=%4g", "w k=%00",
                                      "w k=%0a"};
    char value[8];

    for ( size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++ )
        if ( line_get_text(bad[i], "k", value, sizeof(value)) )
            test_fail(__FILE__, __LINE__, "'%s' was decoded", bad[i]);
}

TEST(line_values_that_do_not_fit)
{
    char value[4];

    CHECK(line_get_text("w k=abc", "k", value, sizeof(value)));
    CHECK(!line_get_text("w k=abcd", "k", value, sizeof(value)));
}

TEST(line_fields_in_turn)
{
    const char *at = "word a=1 long-key=x%20y";
    char key[16], value[16];

    CHECK(line_next(&at, key, sizeof(key), value, sizeof(value)));
    CHECK_TEXT(key, "a");
    CHECK_TEXT(value, "1");
    CHECK(line_next(&at, key, sizeof(key), value, sizeof(value)));
    CHECK_TEXT(key, "long-key");
    CHECK_TEXT(value, "x y");
    CHECK(!line_next(&at, key, sizeof(key), value, sizeof(value)));
    CHECK(*at == '\0');
}

TEST(line_stops_at_a_bad_field)
{
    static const char *const bad[] = {"w a", "w =1", "w A=1", "w a=1  b=2",
                                      "w a=%zz"};
    char key[16], value[16];

    for ( size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++ )
    {
        const char *at = bad[i];

        while ( line_next(&at, key, sizeof(key), value, sizeof(value)) )
            continue;
        if ( *at == '\0' )
            test_fail(__FILE__, __LINE__, "'%s' was read to its end", bad[i]);
    }
}

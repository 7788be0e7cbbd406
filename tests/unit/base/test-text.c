/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/text.h"
#include "tests/harness.h"

#include <locale.h>
#include <stdlib.h>
#include <string.h>

static void want_utf8(void)
{
    if ( !setlocale(LC_ALL, "C.UTF-8") )
        test_skip("there is no locale C.UTF-8");
}

static void check_clean(const char *text, const char *wanted)
{
    char *clean = text_clean(text);

    CHECK_TEXT(clean, wanted);
    free(clean);
}

TEST(text_lets_print_what_is_print)
{
    want_utf8();
    check_clean("", "");
    check_clean("do_IRQ", "do_IRQ");
    check_clean("ü日本", "ü日本");
    check_clean("a b\"'\\<>", "a b\"'\\<>");
}

TEST(text_disarms_what_a_terminal_obeys)
{
    want_utf8();
    check_clean("\x1b[31m", "\\x1b[31m");
    check_clean("\t\r\n\x7f", "\\x09\\x0d\\x0a\\x7f");
    check_clean("\xc2\x9b"
                "31m",
                "\\xc2\\x9b31m");                   /* CSI in one character */
    check_clean("\xe2\x80\xae", "\\xe2\\x80\\xae"); /* right to left */
    check_clean("\xe2\x80\x8b", "\\xe2\\x80\\x8b"); /* no width */
    check_clean("\xff\xc3", "\\xff\\xc3");          /* no UTF-8 */
    check_clean("\xed\xa0\x80", "\\xed\\xa0\\x80"); /* surrogate */
}

TEST(text_is_ascii_where_the_locale_is)
{
    CHECK(setlocale(LC_ALL, "C"));
    check_clean("\xc3\xbc", "\\xc3\\xbc");
    check_clean("plain", "plain");
}

TEST(text_counts_columns)
{
    want_utf8();
    CHECK_EQ(text_width(""), 0);
    CHECK_EQ(text_width("abc"), 3);
    CHECK_EQ(text_width("ü"), 1);
    CHECK_EQ(text_width("日本"), 4);
    CHECK_EQ(text_head("日本", 3), strlen("日"));
    CHECK_EQ(text_head("abc", 9), 3);
}

static void check_fit(const char *text, size_t width, int right,
                      const char *wanted)
{
    char *shown = NULL;
    size_t size;
    FILE *file = open_memstream(&shown, &size);

    CHECK(file);
    text_fit(file, text, width, right);
    fclose(file);
    CHECK_TEXT(shown, wanted);
    CHECK_EQ(text_width(shown), width);
    free(shown);
}

TEST(text_fits_a_column)
{
    want_utf8();
    check_fit("abc", 5, 0, "abc  ");
    check_fit("abc", 5, 1, "  abc");
    check_fit("abc", 3, 0, "abc");
    check_fit("abcdefghij", 8, 0, "abc..hij");
    check_fit("abcdefghij", 9, 0, "abcd..hij");
    check_fit("./build/source.c:39", 15, 0, "./..source.c:39");
    check_fit("/etc/hosts", 7, 0, "..hosts");
    check_fit("/etc/host.conf.d", 10, 0, "/etc..nf.d");
    check_fit("日本語日本語", 8, 0, "日....語");
    check_fit("日本語日本語", 10, 0, "日本..本語");
}

/* What text_print() prints is what text_clean() spells. */
static void check_print(const char *text, size_t width, const char *wanted)
{
    char *shown = NULL, *clean = text_clean(text);
    size_t size;
    FILE *file = open_memstream(&shown, &size);

    CHECK(file);
    text_print(file, text, width);
    fclose(file);
    CHECK_TEXT(shown, wanted);
    CHECK_EQ(strncmp(shown, clean, strlen(clean)), 0);
    free(shown);
    free(clean);
}

TEST(text_is_printed_clean_in_a_column)
{
    want_utf8();
    check_print("", 0, "");
    check_print("web", 6, "web   ");
    check_print("日本", 6, "日本  ");
    check_print("\x1b[2J", 9, "\\x1b[2J  ");
    check_print("a\nb", 0, "a\\x0ab");
    check_print("\xff\xc3", 0, "\\xff\\xc3");
    check_print("longer than its column", 6, "longer than its column");
}

/* A name that was cut to fit may end within a character. */
TEST(text_that_was_cut_is_printed)
{
    want_utf8();
    check_print("caf\xc3", 8, "caf\\xc3 ");
    check_print("\xe6\x97", 0, "\\xe6\\x97");
}

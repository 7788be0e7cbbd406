/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "control/number-set.h"
#include "tests/harness.h"

TEST(numbers_in_range)
{
    uint64_t number;

    CHECK(number_parse("0", 0, 5, &number));
    CHECK_EQ(number, 0);
    CHECK(number_parse("18446744073709551615", 0, UINT64_MAX, &number));
    CHECK(number == UINT64_MAX);
    CHECK(!number_parse("18446744073709551616", 0, UINT64_MAX, &number));
    CHECK(!number_parse("6", 0, 5, &number));
    CHECK(!number_parse("0", 1, 5, &number));
}

TEST(numbers_are_digits_only)
{
    uint64_t number;

    CHECK(!number_parse("", 0, 5, &number));
    CHECK(!number_parse("-1", 0, 5, &number));
    CHECK(!number_parse("+1", 0, 5, &number));
    CHECK(!number_parse(" 1", 0, 5, &number));
    CHECK(!number_parse("1 ", 0, 5, &number));
    CHECK(!number_parse("0x1", 0, 5, &number));
}

static void check_list(const char *list, const char *wanted)
{
    struct number_set set;
    char text[64];

    CHECK(number_set_parse(list, 16, &set));
    CHECK(number_set_format(&set, text, sizeof(text)));
    CHECK_TEXT(text, wanted);
}

TEST(sets_are_written_shortest)
{
    check_list("3", "3");
    check_list("0-3,7", "0-3,7");
    check_list("7,0,1,2,3,2", "0-3,7");
    check_list("5-5", "5");
    check_list("0-15", "0-15");
}

TEST(sets_that_are_none)
{
    static const char *const bad[] = {
        "",
        ",",
        "1,",
        ",1",
        "1-",
        "-1",
        "3-1",
        "1,,2",
        "a",
        "16",
        "0-16",
        "1 2",
        "99999999999999999999",
    };
    struct number_set set;

    for ( size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++ )
        if ( number_set_parse(bad[i], 16, &set) )
            test_fail(__FILE__, __LINE__, "'%s' was taken for a list", bad[i]);
}

TEST(sets_do_not_overrun_their_text)
{
    struct number_set set;
    char text[4];

    CHECK(number_set_parse("0,2,4", 16, &set));
    CHECK(!number_set_format(&set, text, sizeof(text)));
    CHECK(number_set_parse("0,2", 16, &set));
    CHECK(number_set_format(&set, text, sizeof(text)));
}

TEST(highest_number_of_a_set)
{
    struct number_set set;
    char text[16];

    CHECK(number_set_parse("4095", NUMBER_SET_MAX, &set));
    CHECK(number_set_has(&set, 4095));
    CHECK(!number_set_has(&set, 4096));
    CHECK(number_set_format(&set, text, sizeof(text)));
    CHECK_TEXT(text, "4095");
}

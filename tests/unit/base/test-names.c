/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Texts and their numbers. */
#include "base/names.h"
#include "tests/harness.h"

#include <stdio.h>

TEST(names_are_one_for_each_text)
{
    struct names names;
    char text[40];
    uint32_t number, again;

    names_init(&names);
    for ( unsigned int i = 0; i < 2000; i++ )
    {
        snprintf(text, sizeof(text), "symbol_number_%u", i % 1000);
        CHECK(names_add(&names, text, &number));
        CHECK_EQ(number, i % 1000 + 1);
        CHECK_TEXT(names_text(&names, number), text);
    }
    CHECK(names_add(&names, "", &number));
    CHECK_TEXT(names_text(&names, number), "");
    CHECK(names_add(&names, "12345678", &number));
    CHECK(names_add(&names, "1234567", &again));
    CHECK(number != again);
    names_free(&names);
}

TEST(names_know_the_unknown)
{
    struct names names;
    uint32_t number = 7;

    names_init(&names);
    CHECK(names_add(&names, NULL, &number));
    CHECK_EQ(number, 0);
    CHECK(!names_text(&names, 0));
    names_free(&names);
}

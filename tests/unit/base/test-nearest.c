/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "base/nearest.h"
#include "tests/harness.h"

static const char *nearest_to(const char *word)
{
    static const char *const names[] = {"start", "status",  "stop", "report",
                                        "setup", "session", "s"};
    struct nearest nearest = {.word = word};

    for ( size_t i = 0; i < sizeof(names) / sizeof(*names); i++ )
        nearest_offer(&nearest, names[i]);
    return nearest.name ? nearest.name : "none";
}

TEST(a_letter_more_less_another_or_swapped_is_one_step)
{
    CHECK_TEXT(nearest_to("starrt"), "start");
    CHECK_TEXT(nearest_to("statu"), "status");
    CHECK_TEXT(nearest_to("stap"), "stop");
    CHECK_TEXT(nearest_to("strat"), "start");
    CHECK_TEXT(nearest_to("sessoin"), "session");
}

TEST(what_is_like_no_name_is_none)
{
    CHECK_TEXT(nearest_to("callgraph"), "none");
    CHECK_TEXT(nearest_to(""), "none");
    CHECK_TEXT(nearest_to("x"), "none");
    /* Two steps are too many for four letters. */
    CHECK_TEXT(nearest_to("shap"), "none");
    CHECK_TEXT(nearest_to("sesion"), "session");
}

TEST(the_nearest_is_found_whatever_the_order)
{
    struct nearest nearest = {.word = "frequency"};

    nearest_offer(&nearest, "frequencies");
    CHECK_TEXT(nearest.name, "frequencies");
    nearest_offer(&nearest, "frequency");
    nearest_offer(&nearest, "frequenc");
    CHECK_TEXT(nearest.name, "frequency");
    CHECK_EQ(nearest.distance, 0);
}

TEST(words_of_any_length_are_safe)
{
    static char word[1000];
    struct nearest nearest = {.word = word};

    for ( size_t length = 0; length < sizeof(word) - 1; length++ )
    {
        word[length] = 'a';
        nearest_offer(&nearest, word);
        CHECK_EQ(nearest.name == word, length < NEAREST_MAX);
        nearest.name = NULL;
    }
}

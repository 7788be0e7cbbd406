/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include <xenoprof/door.h>

#include "control/lacks.h"
#include "tests/harness.h"

TEST(nothing_is_lacking)
{
    char text[LACKS_TEXT_MAX];

    lacks_text(0, text, sizeof(text));
    CHECK_TEXT(text, "");
    lacks_text(1u << 31, text, sizeof(text)); /* of a newer module */
    CHECK_TEXT(text, "");
}

TEST(a_sentence_for_each)
{
    char text[LACKS_TEXT_MAX];

    lacks_text(XENOPROF_LACK_XEN_STACKS, text, sizeof(text));
    CHECK_TEXT(text, "too little of this Xen's code could be followed: its "
                     "functions have no callers. ");
    lacks_text(~0u, text, sizeof(text));
    CHECK(strstr(text, "the timer is the sampler. too little"));
    CHECK(strstr(text, "HVM and PVH guests' memory"));
    CHECK(strlen(text) < sizeof(text) - 1);
}

TEST(little_room)
{
    char text[8];

    lacks_text(~0u, text, sizeof(text));
    CHECK_TEXT(text, "where t");
}

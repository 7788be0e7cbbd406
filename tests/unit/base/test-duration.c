/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "base/duration.h"
#include "tests/harness.h"

#define MAX (366u * 24 * 3600)

static void check_seconds(const char *text, uint64_t wanted)
{
    uint64_t seconds = 0;

    CHECK(duration_parse(text, MAX, &seconds));
    CHECK_EQ(seconds, wanted);
}

TEST(duration_has_seconds_minutes_hours_days)
{
    check_seconds("90", 90);
    check_seconds("90s", 90);
    check_seconds("30m", 1800);
    check_seconds("1h", 3600);
    check_seconds("2d", 172800);
    check_seconds("366d", MAX);
    check_seconds("31622400", MAX);
}

TEST(duration_refuses_what_is_none_or_too_long)
{
    static const char *const wrong[] = {
        "",
        "0",
        "0h",
        "h",
        "-1h",
        "1 h",
        "1w",
        "1hh",
        "1h30",
        "1.5h",
        "367d",
        "31622401",
        "+1h",
        "999999999",
        "8785h",
        "18446744073709551617",
        " 1h",
        "1h ",
        "18446744073709551616d",
    };
    uint64_t seconds = 7;

    for ( unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++ )
        if ( duration_parse(wrong[i], MAX, &seconds) )
            test_fail(__FILE__, __LINE__, "\"%s\" was taken", wrong[i]);
    CHECK_EQ(seconds, 7);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/model/format.h"
#include "report/model/time-range.h"
#include "tests/harness.h"

#define UTC_10 1795168800000000000u /* 2026-11-20T10:00:00Z */

TEST(clock_reads_seconds)
{
    uint64_t ns;

    CHECK(clock_parse_seconds("12", &ns));
    CHECK_EQ(ns, 12000000000);
    CHECK(clock_parse_seconds("0.25", &ns));
    CHECK_EQ(ns, 250000000);
    CHECK(clock_parse_seconds("1.0000000019", &ns));
    CHECK_EQ(ns, 1000000001);
    CHECK(!clock_parse_seconds("", &ns));
    CHECK(!clock_parse_seconds("-1", &ns));
    CHECK(!clock_parse_seconds("1.", &ns));
    CHECK(!clock_parse_seconds("1s", &ns));
    CHECK(!clock_parse_seconds("18446744074", &ns));
}

TEST(clock_reads_and_writes_utc)
{
    char text[CLOCK_TEXT];
    uint64_t ns;

    CHECK(clock_parse_utc("2026-11-20T10:00:00Z", &ns));
    CHECK_EQ(ns, UTC_10);
    CHECK(clock_parse_utc("2026-11-20T10:00:00.5Z", &ns));
    CHECK_EQ(ns, UTC_10 + 500000000);
    clock_format_utc(ns, 3, text);
    CHECK_TEXT(text, "2026-11-20T10:00:00.500Z");
    clock_format_utc(ns + 1, 9, text);
    CHECK_TEXT(text, "2026-11-20T10:00:00.500000001Z");
    clock_format_utc(ns, 0, text);
    CHECK_TEXT(text, "2026-11-20T10:00:00Z");
    CHECK(!clock_parse_utc("2026-11-20T10:00:00", &ns));
    CHECK(!clock_parse_utc("2026-11-20 10:00:00Z", &ns));
    CHECK(!clock_parse_utc("1969-11-20T10:00:00Z", &ns));
}

static void check_length(uint64_t ns, const char *wanted)
{
    char text[CLOCK_TEXT];

    clock_format_length(ns, text);
    CHECK_TEXT(text, wanted);
}

TEST(clock_writes_lengths)
{
    check_length(0, "0.000 ms");
    check_length(42000, "0.042 ms");
    check_length(1500000000, "1.500 s");
    check_length(182000000000, "3 min 02 s");
    check_length(7380000000000, "2 h 03 min");
    check_length(UINT64_MAX, "5124095 h 34 min");
}

static const struct clocks clocks = {
    .start = 1000,
    .end = 9000001000,
    .utc = UTC_10,
    .utc_at = 1000000000,
    .utc_known = true,
};

static void check_range(const char *text, uint64_t from, uint64_t to)
{
    struct time_range range;
    struct time_span span;

    CHECK(time_range_parse(text, &range));
    CHECK(time_range_resolve(&range, &clocks, &span));
    CHECK_EQ(span.from, from);
    CHECK_EQ(span.to, to);
}

TEST(range_is_since_start_or_utc_or_open)
{
    check_range("..", 0, UINT64_MAX);
    check_range("1..2", 1000001000, 2000001000);
    check_range("1..", 1000001000, UINT64_MAX);
    check_range("..2", 0, 2000001000);
    check_range("2026-11-20T10:00:01Z..2026-11-20T10:00:02Z", 2000000000,
                3000000000);
    check_range("2026-11-20T09:59:59.5Z..", 500000000, UINT64_MAX);
    check_range("2026-11-20T08:00:00Z..1", 0, 1000001000);
    check_range("-2s..", 7000001000, UINT64_MAX);
    check_range("-3..-1s", 6000001000, 8000001000);
    check_range("1..-4s", 1000001000, 5000001000);
    check_range("-1h..", 0, UINT64_MAX);
}

TEST(range_refuses_nonsense)
{
    static const char *const wrong[] = {
        "",         "5",        "2..1",
        "1..1",     "a..b",     "1...2",
        "-1s..-2s", "-1s..-1s", "-..",
        "-0s..",    "-1w..",    "2026-11-20T10:00:02Z..2026-11-20T10:00:01Z",
    };
    struct time_range range;

    for ( unsigned int i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++ )
        if ( time_range_parse(wrong[i], &range) )
            test_fail(__FILE__, __LINE__, "\"%s\" was taken", wrong[i]);
}

TEST(range_in_utc_needs_utc)
{
    struct clocks unknown = {.start = 5};
    struct time_range range;
    struct time_span span;

    CHECK(time_range_parse("2026-11-20T10:00:02Z..", &range));
    CHECK(!time_range_resolve(&range, &unknown, &span));
    CHECK(time_range_parse("1..", &range));
    CHECK(time_range_resolve(&range, &unknown, &span));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A strip of time, and what a part of it is called. */
#include "report/browse/browse-times.h"
#include "tests/harness.h"

#include <string.h>

#define SECOND 1000000000u

static uint64_t samples[] = {0, 1, 8, 0, 0, 4, 0, 0, 0, 2};
static const struct browse_times times = {
    .samples = samples, .count = 10, .start = 0, .width = SECOND / 2};

static void check_strip(const struct browse_times *shown, size_t columns,
                        bool utf8, const char *wanted)
{
    char *text = browse_times_strip(shown, columns, utf8);

    CHECK_TEXT(text, wanted);
    free(text);
}

static void check_range(size_t from, size_t to, const char *wanted)
{
    char *text = browse_times_range(&times, 20, from, to);

    CHECK_TEXT(text, wanted);
    free(text);
}

TEST(the_higher_the_busier)
{
    const struct browse_times none = {.samples = NULL};

    check_strip(&times, 10, false, " .#  =   :");
    check_strip(&times, 10, true, " ▁█  ▄   ▂");
    /* More columns than bins, and fewer. */
    check_strip(&times, 20, false, "  ..##    ==      ::");
    check_strip(&times, 5, false, ".#= :");
    check_strip(&none, 4, false, "    ");
}

TEST(ends_are_times)
{
    check_range(0, 20, "");
    check_range(0, 10, "..2.5");
    check_range(4, 20, "1..");
    check_range(5, 7, "1.25..1.75");
}

TEST(a_session_without_samples_has_no_time)
{
    static struct loaded loaded;
    struct browse_times none;

    browse_times_init(&none, &loaded);
    CHECK_EQ(none.count, 0);
    browse_times_free(&none);
}

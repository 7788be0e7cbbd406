/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/time/spooled-times.h"
#include "report/time/time-survey.h"
#include "tests/harness.h"

#include <math.h>
#include <string.h>

#define SECOND XENOPROF_SECOND
#define TICK   10000000 /* ns */

static void say(struct spooled_times *spooled, uint16_t vcpu, uint8_t mode,
                uint64_t second, int64_t samples)
{
    const struct xenoprof_item item = {
        .kind = XENOPROF_ITEM_SPOOLED,
        .u.spooled = {.domain = 1,
                      .vcpu = vcpu,
                      .mode = mode,
                      .second = second,
                      .period = TICK,
                      .samples = samples},
    };

    spooled_take(spooled, &item);
}

static const struct spooled_time *row(const struct spooled_times *spooled,
                                      size_t index)
{
    CHECK(index < spooled->rows.count);
    return table_at(&spooled->rows, index);
}

static bool is_near(double a, double b)
{
    return fabs(a - b) <= 1e-9 * fmax(fabs(a), fabs(b));
}

TEST(differences_add_up_by_vcpu_mode_and_second)
{
    struct spooled_times spooled;

    spooled_init(&spooled);
    say(&spooled, 0, XENOPROF_MODE_KERNEL, 7, 40);
    say(&spooled, 0, XENOPROF_MODE_USER, 7, 3);
    say(&spooled, 0, XENOPROF_MODE_KERNEL, 7, 5);
    say(&spooled, 0, XENOPROF_MODE_USER, 7, -3);
    CHECK_EQ(spooled.rows.count, 2);
    CHECK_EQ(row(&spooled, 0)->samples, 45);
    CHECK_EQ(row(&spooled, 0)->ticks, 45 * TICK);
    CHECK_EQ(spooled_samples(&spooled), 45);
    CHECK(is_near(spooled_part(&spooled, row(&spooled, 0)), 1));
    CHECK(is_near(spooled_part(&spooled, row(&spooled, 1)), 0));
    spooled_free(&spooled);
}

/* Their beginning was lost. */
TEST(what_is_less_than_none_is_none)
{
    struct spooled_times spooled;

    spooled_init(&spooled);
    say(&spooled, 0, XENOPROF_MODE_KERNEL, 7, -40);
    CHECK_EQ(spooled_samples(&spooled), 0);
    CHECK(is_near(spooled_part(&spooled, row(&spooled, 0)), 0));
    spooled_free(&spooled);
}

TEST(a_session_that_is_closed_or_begins_anew_has_none)
{
    struct xenoprof_item item = {.kind = XENOPROF_ITEM_SPOOLED,
                                 .u.spooled.anew = true};
    struct spooled_times spooled;

    spooled_init(&spooled);
    for ( unsigned int i = 0; i < 2; i++ )
    {
        say(&spooled, 0, XENOPROF_MODE_KERNEL, 7, 40);
        CHECK_EQ(spooled_samples(&spooled), 40);
        spooled_take(&spooled, &item);
        CHECK_EQ(spooled_samples(&spooled), 0);
        item = (struct xenoprof_item){.kind = XENOPROF_ITEM_CLOSED};
    }
    spooled_free(&spooled);
}

/* The session ends in the middle of second 9. */
TEST(a_range_cuts_a_second_in_proportion)
{
    struct spooled_times spooled;

    spooled_init(&spooled);
    for ( uint64_t second = 7; second < 11; second++ )
        say(&spooled, 0, XENOPROF_MODE_KERNEL, second, 40);
    spooled.there = (struct time_span){SECOND, 9 * SECOND + SECOND / 2};
    spooled.span = (struct time_span){8 * SECOND + SECOND / 4,
                                      9 * SECOND + SECOND / 4};
    CHECK(is_near(spooled_part(&spooled, row(&spooled, 0)), 0));
    CHECK(is_near(spooled_part(&spooled, row(&spooled, 1)), 0.75));
    CHECK(is_near(spooled_part(&spooled, row(&spooled, 2)), 0.5));
    CHECK(is_near(spooled_part(&spooled, row(&spooled, 3)), 0));
    spooled_free(&spooled);
}

/* A day of recording. */
TEST(what_is_over_takes_no_memory)
{
    struct spooled_times spooled;

    spooled_init(&spooled);
    for ( uint64_t second = 0; second < 86400; second++ )
    {
        say(&spooled, 0, XENOPROF_MODE_KERNEL, second, 100);
        if ( second >= 120 )
            say(&spooled, 0, XENOPROF_MODE_KERNEL, second - 120, -100);
    }
    CHECK_EQ(spooled_samples(&spooled), 12000);
    CHECK(spooled.rows.count < 4096);
    spooled_free(&spooled);
}

/* Whoever wrote a file may say anything. */
TEST(hostile_rows_take_bounded_memory_and_no_time)
{
    struct spooled_times spooled;

    spooled_init(&spooled);
    for ( uint32_t i = 0; i < SPOOLED_MOST + 1000; i++ )
        say(&spooled, (uint16_t)i, XENOPROF_MODE_KERNEL, i >> 16, 1);
    CHECK_EQ(spooled.rows.count, SPOOLED_MOST);
    say(&spooled, 0, XENOPROF_MODE_KERNEL, 0, INT64_MAX / TICK);
    say(&spooled, 0, XENOPROF_MODE_KERNEL, 0, INT64_MAX / TICK);
    spooled.there = (struct time_span){SECOND, 2 * SECOND};
    CHECK(is_near(spooled_part(&spooled, row(&spooled, 0)), 0));
    spooled_free(&spooled);
}

static void take(struct time_survey *survey, const struct xenoprof_item *item)
{
    survey_item(survey, item);
}

/* Its vCPU ran for 800 ms of a second of which 20 samples are read and 60 wait:
 * each of them has a 80th of that. */
TEST(what_waits_shares_its_second_with_what_is_read)
{
    static const struct time_range all = {.from = {.kind = TIME_OPEN}};
    static const struct clocks none = {.start = 0};
    const struct xenoprof_who who = {.domain = 1,
                                     .mode = XENOPROF_MODE_XEN,
                                     .weight = 1,
                                     .period = TICK,
                                     .count = TICK};
    static const uint32_t zeroes[20];
    const struct xenoprof_item samples = {.kind = XENOPROF_ITEM_SAMPLES,
                                          .u.samples = {.count = 20,
                                                        .first = 7 * SECOND,
                                                        .last = 7 * SECOND + 1,
                                                        .seconds = zeroes,
                                                        .second = 7,
                                                        .whos = zeroes,
                                                        .who = &who,
                                                        .who_count = 1,
                                                        .file = 1}};
    const struct xenoprof_item wait = {
        .kind = XENOPROF_ITEM_WAIT,
        .time = 8 * SECOND,
        .u.wait = {.domain = 1, .span = SECOND, .running = 4 * SECOND / 5}};
    struct time_survey survey;
    struct slots *slots = &survey.slots;

    survey_init(&survey, &all, &none, false);
    take(&survey, &samples);
    take(&survey, &wait);
    say(&survey.spooled, 0, XENOPROF_MODE_KERNEL, 7, 40);
    say(&survey.spooled, 0, XENOPROF_MODE_USER, 7, 20);
    survey_end(&survey);
    CHECK_EQ(slots->owners.count, 1);
    CHECK(is_near(slots_rate(slots, 1, 0), 1));
    CHECK(
        is_near(spooled_ns(&survey.spooled, row(&survey.spooled, 0), slots, 0),
                40 * TICK));
    CHECK(
        is_near(spooled_ns(&survey.spooled, row(&survey.spooled, 1), slots, 0),
                20 * TICK));
    CHECK_EQ(slots_at(slots, 1)->borrowed, 0);
    survey_free(&survey);
}

/* Without an account of vCPUs nothing says whose they are: all pCPUs alike. */
TEST(what_waits_is_of_all_pcpus_where_these_are_what_is_known)
{
    const struct time_span span = {7 * SECOND, 8 * SECOND};
    struct spooled_times spooled;
    struct slots slots;

    spooled_init(&spooled);
    say(&spooled, 0, XENOPROF_MODE_KERNEL, 7, 40);
    slots_init(&slots, true);
    slots.origin = 7;
    for ( uint32_t pcpu = 0; pcpu < 2; pcpu++ )
        slots_add_pcpu(&slots, pcpu, 7 * SECOND, 8 * SECOND, pcpu * SECOND / 2);
    spooled_add_ticks(&spooled, &slots);
    slots_settle(&slots, &span);
    CHECK(
        is_near(spooled_ns(&spooled, row(&spooled, 0), &slots, 0), 2 * SECOND));
    CHECK(is_near(spooled_ns(&spooled, row(&spooled, 0), &slots, 1), SECOND));
    slots_free(&slots);
    spooled_free(&spooled);
}

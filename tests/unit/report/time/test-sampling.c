/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/time/sampling.h"
#include "tests/harness.h"

#include <stdlib.h>

#define TURNS 4000u

static double draw(void)
{
    return (double)random() / ((double)RAND_MAX + 1);
}

/* Of so many samples, some stand for four times as much as the others, as in a
 * second in which most were lost; a function has so much of each second.
 * Returns in which part of all turns the truth is inside the interval. */
static double coverage(unsigned int samples, double part, unsigned int *said)
{
    unsigned int inside = 0;

    *said = 0;
    for ( unsigned int turn = 0; turn < TURNS; turn++ )
    {
        double time = 0, square = 0, all = 0, squares = 0, error;

        for ( unsigned int i = 0; i < samples; i++ )
        {
            const double weight = i % 10 ? 1 : 4;

            all += weight;
            squares += weight * weight;
            if ( draw() >= part )
                continue;
            time += weight;
            square += weight * weight;
        }
        error = sampling_error(time, square, all, squares);
        if ( error < 0 )
            continue;
        ++*said;
        inside += fabs(time - part * all) <= error;
    }
    return *said ? (double)inside / *said : 0;
}

TEST(the_truth_is_inside_the_interval_in_95_of_100_cases)
{
    static const struct {
        unsigned int samples;
        double part;
    } cases[] = {{200, 0.5}, {200, 0.2}, {1000, 0.05}, {1000, 0.9}, {100, 0.7}};

    srandom(1);
    for ( size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++ )
    {
        unsigned int said;
        double part = coverage(cases[i].samples, cases[i].part, &said);

        CHECK_EQ(said, TURNS);
        CHECK(part >= 0.93 && part <= 0.97);
    }
}

TEST(of_few_samples_nothing_is_said)
{
    unsigned int said;

    srandom(1);
    coverage(200, 0.01, &said);
    CHECK_EQ(said, 0);
    CHECK(sampling_error(9, 9, 100, 100) < 0);
    CHECK(sampling_error(0, 0, 100, 100) < 0);
}

TEST(where_owners_are_what_samples_stand_for_nothing_is_sure)
{
    const double known = sampling_error(100, 100, 100, 100);

    CHECK(known > 0 && known < 2.8);
    CHECK(fabs(sampling_error(100, 100, 0, 0) - 19.59964) < 1e-6);
}

/* Of two functions with as many samples each, one has those of a second in
 * which nearly all were lost. */
TEST(a_sample_of_much_time_makes_all_less_sure)
{
    CHECK(sampling_error(100, 100, 200, 200) < 15);
    CHECK(sampling_error(100, 100, 300, 10200) > 90);
}

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
        double time = 0, square = 0, all = 0, error;

        for ( unsigned int i = 0; i < samples; i++ )
        {
            const double weight = i % 10 ? 1 : 4;

            all += weight;
            if ( draw() >= part )
                continue;
            time += weight;
            square += weight * weight;
        }
        error = sampling_error(time, square, all, 0);
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
    CHECK(sampling_error(9, 9, 100, 0) < 0);
    CHECK(sampling_error(0, 0, 100, 0) < 0);
}

/* All that an owner did is Xen's own account. */
TEST(what_is_all_of_its_owner_is_sure)
{
    CHECK(sampling_error(100, 100, 100, 0) < 1e-9);
    CHECK(sampling_error(100, 100, 0, 0) > 19);
}

TEST(borrowed_time_makes_the_error_larger)
{
    CHECK(sampling_error(100, 100, 200, 0.5) > 50);
    CHECK(sampling_error(100, 100, 200, 0) < 15);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/model/noise.h"
#include "tests/harness.h"

#include <math.h>

static bool near(double value, double wanted)
{
    return fabs(value - wanted) < 1e-6;
}

/* Figures of the z-test from a calculator. */
TEST(noise_tests_two_proportions)
{
    struct change change;

    noise_test((double[]){0.05, 0.08}, (double[]){1000, 1000}, &change);
    CHECK(near(change.before, 0.05));
    CHECK(near(change.after, 0.08));
    CHECK(near(change.chance, 0.0065066));
    CHECK(near(change.error, 0.0215685));
    noise_test((double[]){0.3, 0.1}, (double[]){100, 200}, &change);
    CHECK(near(change.chance, 0.0000118));
}

TEST(noise_says_nothing_of_what_it_cannot_know)
{
    struct change change;

    noise_test((double[]){0, 0.0009}, (double[]){10000, 10000}, &change);
    CHECK(change.chance >= 1.0);
    noise_test((double[]){0, 0.001}, (double[]){10000, 10000}, &change);
    CHECK(change.chance < 1.0);
    noise_test((double[]){0.3, 0.1}, (double[]){0, 1000}, &change);
    CHECK(change.chance >= 1.0);
    CHECK(near(change.before, 0.3));
    noise_test((double[]){1, 1}, (double[]){100, 100}, &change);
    CHECK(change.chance >= 1.0);
    CHECK(near(change.error, 0));
    /* Times that were rounded can be a little more than all there is. */
    noise_test((double[]){1.01, 0.5}, (double[]){100, 100}, &change);
    CHECK(near(change.before, 1));
}

static size_t marked(const double *chances, size_t count, bool *beyond)
{
    struct change changes[8] = {{0}}, *list[8];
    size_t sum = 0;

    for ( size_t i = 0; i < count; i++ )
    {
        changes[i].chance = chances[i];
        list[i] = &changes[i];
    }
    noise_mark(list, count);
    for ( size_t i = 0; i < count; i++ )
    {
        beyond[i] = changes[i].beyond;
        sum += changes[i].beyond;
    }
    return sum;
}

/* Of five the k-th smallest may be k per cent. */
TEST(noise_marks_by_rank)
{
    bool beyond[8];

    CHECK_EQ(marked((double[]){0.5, 0.009, 0.029, 0.019, 0.8}, 5, beyond), 3);
    CHECK(beyond[1] && beyond[2] && beyond[3]);
    /* A chance that misses its own bound counts if a larger one meets its
     * bound. */
    CHECK_EQ(marked((double[]){0.02, 0.015, 0.029, 0.9, 0.9}, 5, beyond), 3);
    CHECK_EQ(marked((double[]){0.011, 0.021, 0.031, 0.041, 0.051}, 5, beyond),
             0);
    CHECK_EQ(marked((double[]){0.04}, 1, beyond), 1);
    CHECK_EQ(marked((double[]){0.0}, 0, beyond), 0);
}

TEST(noise_does_not_count_what_is_not_tested)
{
    bool beyond[8];

    CHECK_EQ(marked((double[]){0.04, 1.0, 1.0, 1.0, 1.0, 1.0}, 6, beyond), 1);
    CHECK(beyond[0]);
    CHECK_EQ(marked((double[]){1.0, 1.0}, 2, beyond), 0);
}

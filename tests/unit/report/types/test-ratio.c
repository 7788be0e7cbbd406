/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Ratios of events, and whether their errors are true. */
#include <math.h>
#include <stdlib.h>

#include "report/types/ratio.h"
#include "tests/harness.h"

#define ROUNDS 4000u

TEST(a_ratio_is_of_amounts_and_its_error_of_samples)
{
    const struct ratio_side of = {100, 5000}, by = {400, 20000};
    const struct ratio ratio = ratio_of(&of, &by);

    CHECK(ratio.known);
    CHECK(fabs(ratio.value - 0.25) < 1e-12);
    CHECK(fabs(ratio.error - 1.959964 * 0.25 * sqrt(0.0125)) < 1e-9);
}

TEST(without_samples_on_a_side_there_is_no_error)
{
    const struct ratio_side none = {0, 0}, some = {4, 40};
    struct ratio ratio = ratio_of(&none, &some);

    CHECK(!ratio.known);
    CHECK(ratio.value == 0);
    ratio = ratio_of(&some, &none);
    CHECK(!ratio.known);
    CHECK(ratio.value == 0);
    ratio = ratio_of(&some, &(struct ratio_side){4, 0});
    CHECK(!ratio.known);
}

/* How many of what happens so often by chance are met. */
static uint64_t poisson(double mean)
{
    double left = exp(-mean), at = 1;
    uint64_t count = 0;

    while ( (at *= drand48()) > left )
        count++;
    return count;
}

TEST(the_true_ratio_is_within_the_error_in_95_of_100_cases)
{
    const double mean[2] = {60, 300}, truth = 60.0 * 1000 / (300.0 * 2000);
    unsigned int within = 0;

    srand48(7);
    for ( unsigned int i = 0; i < ROUNDS; i++ )
    {
        struct ratio_side of = {.samples = poisson(mean[0])};
        struct ratio_side by = {.samples = poisson(mean[1])};
        struct ratio ratio;

        of.amount = of.samples * 1000;
        by.amount = by.samples * 2000;
        ratio = ratio_of(&of, &by);
        within += fabs(ratio.value - truth) <= ratio.error;
    }
    CHECK(within > ROUNDS * 0.93 && within < ROUNDS * 0.97);
}

TEST(ratios_are_as_long_as_they_need_to_be)
{
    static const struct {
        double value;
        const char *text;
    } texts[] = {
        {0, "0.000"}, {1.5, "1.500"}, {0.0123, "0.0123"}, {1.5e-5, "1.5e-05"}};

    for ( size_t i = 0; i < 4; i++ )
    {
        char *text = ratio_text(texts[i].value);

        CHECK_TEXT(text, texts[i].text);
        free(text);
    }
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "noise.h"

#include "base/must.h"
#include "base/scope.h"

#include <math.h>
#include <stdlib.h>

#define SHOWN    0.005    /* of a percentage with two digits */
#define QUANTILE 1.959964 /* of 95 % on both sides of a normal distribution */

double change_percent(const struct change *change)
{
    double percent = 100 * (change->after - change->before);

    return fabs(percent) < SHOWN ? 0.0 : percent;
}

static double variance(double part, double n)
{
    return n > 0 ? part * (1 - part) / n : 0.0;
}

static double chance(double before, double after, const double n[2])
{
    double x = before * n[0] + after * n[1], spread;

    if ( x < NOISE_SAMPLES || n[0] <= 0 || n[1] <= 0 )
        return 1.0;
    x = x / (n[0] + n[1]);
    spread = variance(x, n[0]) + variance(x, n[1]);
    return spread > 0 ? erfc(fabs(after - before) / sqrt(2 * spread)) : 1.0;
}

void noise_test(const double share[2], const double n[2], struct change *ret)
{
    const double before = fmin(share[0], 1), after = fmin(share[1], 1);

    *ret = (struct change){
        .before = before, .after = after, .chance = chance(before, after, n)};
    ret->error = QUANTILE *
                 sqrt(variance(before, n[0]) + variance(after, n[1]));
}

static int compare_chances(const void *left, const void *right)
{
    double a = (*(struct change *const *)left)->chance;
    double b = (*(struct change *const *)right)->chance;

    return a < b ? -1 : a > b;
}

/* The largest k of which the k-th smallest chance is at most k / count of the
 * rate; that one and all before it are beyond noise. */
void noise_mark(struct change *const *changes, size_t count)
{
    struct change **sorted SCOPE_FREE = must(
        calloc(count + 1, sizeof(*sorted)));
    size_t tested = 0, found = 0;

    for ( size_t i = 0; i < count; i++ )
        if ( changes[i]->chance < 1.0 )
            sorted[tested++] = changes[i];
    qsort(sorted, tested, sizeof(*sorted), compare_chances);
    for ( size_t i = 0; i < tested; i++ )
        if ( sorted[i]->chance <=
             NOISE_RATE * (double)(i + 1) / (double)tested )
            found = i + 1;
    for ( size_t i = 0; i < found; i++ )
        sorted[i]->beyond = true;
}

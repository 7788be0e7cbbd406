/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "noise.h"

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

static double share(double x, double n)
{
    return n > 0 ? fmin(x / n, 1.0) : 0.0;
}

static double variance(double part, double n)
{
    return n > 0 ? part * (1 - part) / n : 0.0;
}

static double chance(const double x[2], const double n[2])
{
    double pooled = share(x[0] + x[1], n[0] + n[1]);
    double spread = variance(pooled, n[0]) + variance(pooled, n[1]);
    double change = share(x[1], n[1]) - share(x[0], n[0]);

    if ( x[0] + x[1] < NOISE_SAMPLES || n[0] <= 0 || n[1] <= 0 || spread <= 0 )
        return 1.0;
    return erfc(fabs(change) / sqrt(2 * spread));
}

void noise_test(const double x[2], const double n[2], struct change *ret)
{
    *ret = (struct change){.before = share(x[0], n[0]),
                           .after = share(x[1], n[1]),
                           .chance = chance(x, n)};
    ret->error = QUANTILE *
                 sqrt(variance(ret->before, n[0]) + variance(ret->after, n[1]));
}

static int compare_chances(const void *left, const void *right)
{
    double a = (*(struct change *const *)left)->chance;
    double b = (*(struct change *const *)right)->chance;

    return a < b ? -1 : a > b;
}

/* The largest k of which the k-th smallest chance is at most k / count of the
 * rate; that one and all before it are beyond noise. */
bool noise_mark(struct change *const *changes, size_t count)
{
    struct change **sorted SCOPE_FREE = calloc(count + 1, sizeof(*sorted));
    size_t tested = 0, found = 0;

    if ( !sorted )
        return false;
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
    return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a share may be off since it was sampled.
 *
 * The time of an owner is Xen's own account, and exact; samples say where in
 * it.  Of n samples that all have the same time a part p would be off by the
 * square root of p (1 - p) / n, as a standard deviation.  Samples of which some
 * have more time than others, where many were lost or a second borrowed another
 * one's, are as good as fewer: n is the square of the sum of what they have, by
 * the sum of its squares.  All samples of the owners count, also those of other
 * functions: the ones of much time could have been in any of them.  Where the
 * time of owners is itself what samples stand for, the squares of a function's
 * own samples are the variance of its time.
 */
#ifndef XENOPROF_REPORT_TIME_SAMPLING_H
#define XENOPROF_REPORT_TIME_SAMPLING_H

#include <math.h>
#include <stdbool.h>

/* 95 % on both sides of a normal distribution. */
#define SAMPLING_QUANTILE 1.959964
/* Samples alike; of fewer nothing is said. */
#define SAMPLING_LEAST 10.0

/* Returns how many samples that all had the same time would be as good. */
static inline double sampling_alike(double time, double square)
{
    return square > 0 ? time * time / square : 0;
}

/* Returns half of the interval in which the time is at 95 %, in ns; of: the
 * time of its owners if that is known, with the squares of all samples there,
 * else 0.  Less than 0 if it cannot be said. */
static inline double sampling_error(double time, double square, double of,
                                    double of_square)
{
    double alike, part;

    if ( sampling_alike(time, square) < SAMPLING_LEAST )
        return -1;
    if ( of <= 0 )
        return SAMPLING_QUANTILE * sqrt(square);
    /* As if there were two samples more, of which one is in it (Laplace). */
    alike = sampling_alike(of, of_square);
    part = (fmin(time / of, 1) * alike + 1) / (alike + 2);
    return SAMPLING_QUANTILE * sqrt(of_square * part * (1 - part));
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far a share may be off since it was sampled.
 *
 * The time of an owner is Xen's own account, and exact; samples say where in
 * it.  A sample that has w ns of it adds w^2 to the variance of what it is part
 * of, so a sum of cells has the sum of their squares, less what is sure: of a
 * part p of all that its owners did, 1 - p is left.  So few samples of much
 * time, where many were lost or a second borrowed another one's, make the error
 * as large as it is.  Where owners' time itself is what samples stand for,
 * nothing is sure.
 */
#ifndef XENOPROF_REPORT_TIME_SAMPLING_H
#define XENOPROF_REPORT_TIME_SAMPLING_H

#include <math.h>
#include <stdbool.h>

/* 95 % on both sides of a normal distribution. */
#define SAMPLING_QUANTILE 1.959964
/* Samples alike; of fewer nothing is said. */
#define SAMPLING_LEAST 10.0
/* How far what ran in a second without a sample may be from what ran in the
 * nearest one that has some: relative, as a standard deviation.  With it the
 * sessions of tests/truth/ whose reader starved, and whose programs change what
 * they do, have the truth inside the interval as often as others. */
#define SAMPLING_ELSEWHERE 1.0

/* Returns how many samples that all had the same time would be as good. */
static inline double sampling_alike(double time, double square)
{
    return square > 0 ? time * time / square : 0;
}

/* Returns half of the interval in which the time is at 95 %, in ns; of: the
 * time of its owners if that is known, else 0; borrowed: which part of that was
 * in seconds without a sample.  Less than 0 if it cannot be said. */
static inline double sampling_error(double time, double square, double of,
                                    double borrowed)
{
    const double alike = sampling_alike(time, square);
    const double sure = of > 0 ? fmin(time / of, 1) : 0;
    const double elsewhere = SAMPLING_ELSEWHERE * borrowed * time;

    if ( alike < SAMPLING_LEAST )
        return -1;
    /* Few samples: as if there were two more of them (Agresti and Coull). */
    return SAMPLING_QUANTILE *
           sqrt(square * (1 + 2 / alike) * (1 - sure) + elsewhere * elsewhere);
}

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many of one event there were for each of another, and how sure that is.
 *
 * Samples of an event come by chance, each after as many events as it stands
 * for, so of n samples the relative error is 1 / sqrt(n), as of any count of
 * what happens by chance (Poisson).  The two events are sampled apart from each
 * other, so errors of a ratio add up as squares:
 *
 *   error = 1.96 * ratio * sqrt(1 / n + 1 / m)      at 95 %
 */
#ifndef XENOPROF_REPORT_TYPES_RATIO_H
#define XENOPROF_REPORT_TYPES_RATIO_H

#include <stdbool.h>
#include <stdint.h>

/* Samples, and what they stand for. */
struct ratio_side {
    uint64_t samples;
    uint64_t amount;
};

struct ratio {
    double value;
    double error; /* at 95 % */
    bool known;   /* there is something on both sides */
};

struct ratio ratio_of(const struct ratio_side *of, const struct ratio_side *by);
/* "0.123", "0.0123", "1.5e-05", malloc'ed. */
char *ratio_text(double value);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether a change is beyond the noise of sampling.
 *
 * Of n samples x fall into a function: another n would give another x, by
 * chance.  A change of shares is tested with the two-proportion z-test, and of
 * many changes tested at once those are marked that the procedure of Benjamini
 * and Hochberg finds at a false discovery rate of NOISE_RATE: of all that is
 * marked, no more than that part is marked by chance.
 *
 * It knows of chance in sampling only.  Two runs of one program differ by more.
 */
#ifndef XENOPROF_REPORT_MODEL_NOISE_H
#define XENOPROF_REPORT_MODEL_NOISE_H

#include <stdbool.h>
#include <stddef.h>

#define NOISE_RATE    0.05
#define NOISE_SAMPLES 10u /* with fewer in both, nothing is said */

struct change {
    double before, after; /* shares, 0 to 1 */
    double error;         /* of after - before, at 95 % */
    double chance;        /* of such a change without a cause; 1: not tested */
    bool beyond;          /* noise_mark() found it to be beyond noise */
};

/* after - before in percent, as it is shown: what would be shown as 0.00 is
 * 0, whatever rounding has left of it. */
double change_percent(const struct change *change);

/* From share[0], of n[0] samples, to share[1] of n[1]; n may be 0: a share is
 * known all the same, if it is of time. */
void noise_test(const double share[2], const double n[2], struct change *ret);

/* Set beyond of all. */
void noise_mark(struct change *const *changes, size_t count);

#endif

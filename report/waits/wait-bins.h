/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What each domain's vCPUs did, or each vCPU, by time: seconds of Xen's time,
 * or wider bins where there would be too many.
 */
#ifndef XENOPROF_REPORT_WAITS_WAIT_BINS_H
#define XENOPROF_REPORT_WAITS_WAIT_BINS_H

#include "base/table.h"

#include <stdbool.h>
#include <stdint.h>

#define WAIT_BINS_MOST 65536u /* 8 MB */

struct vcpu_times {
    uint64_t span; /* ns, the sum of these: */
    uint64_t running, runnable, capped, blocked, device, paused;
};

struct wait_bin {
    struct {
        uint32_t bin;
        uint32_t whose; /* index into waits.domains, or waits.vcpus */
    } key;
    struct vcpu_times times;
};

struct wait_bins {
    bool wanted;       /* else nothing is kept */
    struct table bins; /* struct wait_bin */
    uint64_t width;    /* ns */
    size_t most;       /* instead of WAIT_BINS_MOST; 0: that */
};

void wait_bins_init(struct wait_bins *bins);
void wait_bins_free(struct wait_bins *bins);

/* Adds times that end at a time to the bin in which the middle of them is:
 * they are of a second as a rule. */
void wait_bins_add(struct wait_bins *bins, uint32_t whose, uint64_t time,
                   const struct vcpu_times *times);

/* Returns the bins by whose they are, and time, bins->bins.count of them;
 * malloc'ed. */
struct wait_bin *wait_bins_sorted(const struct wait_bins *bins);

void vcpu_times_add(struct vcpu_times *to, const struct vcpu_times *more);

#endif

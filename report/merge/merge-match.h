/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples of both sides that are of about the same time. */
#ifndef XENOPROF_REPORT_MERGE_MERGE_MATCH_H
#define XENOPROF_REPORT_MERGE_MERGE_MATCH_H

#include "merge-guest.h"

/* Samples of the host's of which the guest has one of the same vCPU within half
 * of its period, and those of them where both name the same thread. */
struct merge_agreement {
    uint64_t compared, same;
    uint64_t chance; /* that would be the same if neither knew of the other */
};

/* At this offset; vCPU N is the guest's CPU N. */
struct merge_agreement merge_compare(const struct merge_host *host,
                                     const struct merge_guest *guest,
                                     uint16_t domain, int64_t offset);

/* Lends callers to samples of a process's code that have none: those of the
 * guest's sample of the same thread that is next in time, within half of the
 * guest's period, if that is of the same function.  Returns to how many. */
uint64_t merge_borrow(struct merge_host *host, const struct merge_guest *guest,
                      uint16_t domain, int64_t offset);

#endif

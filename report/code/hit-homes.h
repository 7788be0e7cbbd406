/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Domains that run the same kernel, by its build-id: their samples in it are
 * counted at the addresses that the first of them has.
 */
#ifndef XENOPROF_REPORT_CODE_HIT_HOMES_H
#define XENOPROF_REPORT_CODE_HIT_HOMES_H

#include "report/model/loaded.h"

struct hit_home {
    uint32_t domain; /* the first one with that kernel; or itself */
    uint64_t shift;  /* from own addresses to that one's; it may wrap */
};

/* A home for each of loaded->domains, malloc'ed. */
struct hit_home *hit_homes(const struct loaded *loaded);

#endif

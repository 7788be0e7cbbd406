/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How far apart two clocks are that both saw which thread ran when: shifted by
 * that, they agree for the longest time, and nowhere else for nearly as long.
 * Threads that ran all the time agree anywhere, and say nothing.
 */
#ifndef XENOPROF_REPORT_MERGE_MERGE_CLOCK_H
#define XENOPROF_REPORT_MERGE_MERGE_CLOCK_H

#include <stddef.h>
#include <stdint.h>

#define CLOCK_TIME_MAX (UINT64_MAX >> 3) /* of a moment; 73 years */

/* A thread ran at a time, and so many ns before and after. */
struct clock_moment {
    uint64_t time;
    uint32_t tid;
    uint32_t half;
};

struct clock_moments {
    struct clock_moment *items; /* their order changes */
    size_t count;
};

/* What is to be added to the guest's clock, from and to. */
struct clock_window {
    int64_t from, to;
};

struct clock_found {
    int64_t offset;
    uint64_t error;  /* ns more or less would do as well */
    uint64_t agreed; /* ns that both have one thread */
};

enum clock_verdict {
    CLOCK_FOUND,
    CLOCK_STRANGERS, /* no thread is in both, at any of these offsets */
    CLOCK_SMOOTH,    /* they agree about as long at all offsets near it */
    CLOCK_TWICE      /* they agree nearly as long at quite another one */
};

/* Finds it in the window, which is cut to where both clocks overlap. */
enum clock_verdict clock_find(const struct clock_moments *host,
                              const struct clock_moments *guest,
                              const struct clock_window *window,
                              struct clock_found *ret);

#endif

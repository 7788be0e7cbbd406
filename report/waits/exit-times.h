/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How often guests left the processor, why, and for how long, as a session says
 * it whose recording read Xen's traces.
 */
#ifndef XENOPROF_REPORT_WAITS_EXIT_TIMES_H
#define XENOPROF_REPORT_WAITS_EXIT_TIMES_H

#include "base/names.h"
#include "base/table.h"
#include "report/model/time-range.h"

#include <libxenoprof.h>

#include <stdbool.h>

struct exit_amount {
    uint64_t count;
    uint64_t in_xen, away;      /* ns */
    uint64_t shortest, longest; /* ns, in Xen */
};

/* Codes that are called the same are one. */
struct exit_row {
    struct exit_row_key {
        uint8_t uuid[16];
        uint32_t domain;
        uint32_t name;
    } key;
    struct exit_amount amount;
    uint32_t of; /* index into domains */
};

/* Name 0. */
struct exit_domain {
    struct exit_row_key key;
    struct exit_amount amount;
};

struct exit_times {
    struct table rows;    /* struct exit_row */
    struct table domains; /* struct exit_domain */
};

void exit_times_init(struct exit_times *times);
void exit_times_free(struct exit_times *times);

/* Adds exits that ended up to that time, if it lies in the span; what they are
 * called goes to names. */
void exit_times_add(struct exit_times *times, struct names *names,
                    const struct time_span *span, uint64_t time,
                    const struct xenoprof_exits *exits);

/* Puts pointers to all rows into *ret: those of a domain stand together; most
 * time in Xen first.  malloc'ed. */
void exit_times_sorted(const struct exit_times *times,
                       const struct exit_row ***ret);

static inline const struct exit_domain *exit_domain_of(
    const struct exit_times *times, const struct exit_row *row)
{
    return table_at(&times->domains, row->of);
}

#endif

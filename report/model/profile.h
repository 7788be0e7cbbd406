/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells counted together by any labels: what a table or an object of rows
 * shows.
 */
#ifndef XENOPROF_REPORT_MODEL_PROFILE_H
#define XENOPROF_REPORT_MODEL_PROFILE_H

#include "format.h"
#include "labels.h"

struct row_key {
    uint64_t value[LABELS]; /* LABEL_NONE where not asked for or not known */
    uint64_t unnamed;       /* tells apart rows with no symbol: by address, or,
                               of AREA_USER, by cell_user_comm() */
    uint64_t area;          /* enum area; of Xen's AREA_NONE unless asked for */
    uint64_t chain;         /* cell.chain; CHAIN_EMPTY unless asked for */
};

struct row {
    struct row_key key;
    uint64_t samples;
    uint64_t time;    /* ns */
    double square;    /* of what each sample has: report/time/sampling.h */
    uint64_t address; /* lowest start of its symbol, or address; 0: none */
    uint64_t by_mode[XENOPROF_MODES];      /* samples */
    uint64_t time_by_mode[XENOPROF_MODES]; /* what is known of it */
};

struct profile {
    struct table rows;
    const struct row **sorted; /* by time, then by samples, largest first */
    size_t count;
    uint64_t samples; /* of all rows */
    uint64_t time;
    uint64_t time_all; /* of all cells, dropped ones too */
    double sampled;    /* of these, ns of those that have samples of time */
    double square;     /* of these */
    struct sampled_time {
        double time, square;
    } * by_domain; /* of these, by index of loaded.domains */
};

/* profile_free() in any case. */
void profile_build(struct profile *profile, const struct loaded *loaded,
                   const struct label_list *labels);
/* The same with a row for each domain. */
void profile_by_domain(struct profile *profile, const struct loaded *loaded);
void profile_free(struct profile *profile);

/* Half of the interval in which a row's time is at 95 %, in ns; less than 0 if
 * that cannot be said. */
double profile_error(const struct profile *profile, const struct loaded *loaded,
                     const struct row *row);

/* Part of all pCPU time, in percent. */
static inline double profile_percent(const struct profile *profile,
                                     uint64_t time)
{
    return percent_of(time, profile->time_all);
}

/* Rows from this one on are below percent. */
size_t profile_limit(const struct profile *profile, double percent);

#endif

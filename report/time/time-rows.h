/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Rows of time as the slots were made of them, for a view that sums up spans of
 * which nothing is known yet: the page.  What a row has is spread evenly over
 * its span.
 */
#ifndef XENOPROF_REPORT_TIME_TIME_ROWS_H
#define XENOPROF_REPORT_TIME_TIME_ROWS_H

#include "base/vector.h"

#include <stdbool.h>
#include <stdint.h>

/* Of Xen's account; with more of them slots are rows instead. */
#define TIME_ROWS_MOST 100000u

enum time_row_kind {
    TIME_ROW_RAN,    /* its owner ran so long by Xen's account */
    TIME_ROW_STANDS, /* its owner's samples of that slot stand for so much;
                        the account is not of the slot */
    TIME_ROW_GAP,    /* worked, and nothing else is known of it; no owner */
    TIME_ROW_HOST,   /* all time of pCPUs, with these; no owner */
};

struct time_row {
    uint32_t kind;
    uint32_t owner;    /* of slots: index + 1; 0: none */
    uint64_t from, to; /* Xen's times */
    uint64_t time;     /* ns */
};

/* All zeroes is empty. */
struct time_rows {
    VECTOR(struct time_row);
    size_t most; /* instead of TIME_ROWS_MOST; 0: that */
    bool many;   /* there were more of Xen's account: slots are its rows */
};

void time_rows_free(struct time_rows *rows);
/* One of no span is not kept. */
void time_rows_add(struct time_rows *rows, const struct time_row *row);
/* A row of Xen's account, as long as there are not too many. */
void time_rows_ran(struct time_rows *rows, uint32_t owner, uint64_t from,
                   uint64_t to, uint64_t running);
/* All were added.  What samples of a slot stand for that the account is of in
 * part is put where it is not, as if it were of the account.  Rows come by
 * owner, kind, and time then. */
void time_rows_end(struct time_rows *rows);

#endif

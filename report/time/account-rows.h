/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What rows of a session's accounts say of the time since the row before: idle
 * time of pCPUs, and what became of samples of rings.
 */
#ifndef XENOPROF_REPORT_TIME_ACCOUNT_ROWS_H
#define XENOPROF_REPORT_TIME_ACCOUNT_ROWS_H

#include "base/table.h"

#include <libxenoprof.h>

#include <stdbool.h>
#include <stdint.h>

struct account_rows {
    struct table idle;  /* what each pCPU's row said last */
    struct table rings; /* the same of rings */
};

void account_rows_init(struct account_rows *rows);
void account_rows_free(struct account_rows *rows);

/* From one of Xen's times to another one. */
struct idle_row {
    uint64_t from, to;
    uint64_t idle; /* ns */
};

/* Takes a row of kind IDLE; from is to if it says nothing: it is the first one,
 * or its pCPU was offline and begins to count again. */
void account_rows_idle(struct account_rows *rows,
                       const struct xenoprof_item *item, struct idle_row *ret);

struct ring_row {
    uint64_t from, to;
    uint64_t read, lost; /* samples */
};

/* The same of kind RING.  The row is of now; the first one of a ring is of all
 * since then. */
void account_rows_ring(struct account_rows *rows,
                       const struct xenoprof_item *item, uint64_t then,
                       uint64_t now, struct ring_row *ret);

#endif

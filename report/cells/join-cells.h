/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cells that are alike become one, where they are: no second table of them is
 * made.
 */
#ifndef XENOPROF_REPORT_CELLS_JOIN_CELLS_H
#define XENOPROF_REPORT_CELLS_JOIN_CELLS_H

#include "base/must.h"
#include "report/model/loaded.h"

/* What is not asked for of cells that have their time, and which thread ran if
 * no frame is told apart by that. */
struct join_rule {
    bool any_vcpu, any_pcpu, any_thread;
};

/* Before the first cell: until they are joined for the last time cells are
 * CELL_COUNTED bytes. */
static inline void cells_begin(struct loaded *loaded)
{
    loaded->cells.entry_size = CELL_COUNTED;
}

/* Cells that differ in nothing else than what the rule leaves out become one,
 * once all have their time.  The first ones of each stay in their order, with
 * other indexes, which the timeline then has.  They become CELL_CHAINED bytes,
 * and none is found by its key, nor added, from then on. */
void join_cells_last(struct loaded *loaded, const struct join_rule *rule);

/* Cells have all that there is to a cell. */
static inline void cells_make_whole(struct loaded *loaded)
{
    must_do(table_fit(&loaded->cells, sizeof(struct cell)));
}

#endif

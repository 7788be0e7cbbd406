/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What waits for names in all views: a cell of its domain, vCPU and mode, at a
 * place that is called [not named yet].  It has time, and no samples: these are
 * not in the session yet.
 */
#ifndef XENOPROF_REPORT_CELLS_SPOOLED_CELLS_H
#define XENOPROF_REPORT_CELLS_SPOOLED_CELLS_H

#include "join-cells.h"
#include "loader.h"

/* Makes the places that there are to be, and calls of them, if time is wanted
 * at all. */
void spooled_make_calls(struct loader *loader);
/* Makes cells with what loaded.slots, settled, says that they have; of: what
 * cells do not tell apart. */
void spooled_give_time(struct loaded *loaded, const struct join_rule *of);

#endif

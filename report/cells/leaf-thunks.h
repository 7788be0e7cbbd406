/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions without a meaning of their own: the thunks by which compiled code
 * calls and returns.  A sample in one of them is its caller's, in all that is
 * reported, unless --thunks asks for them.
 */
#ifndef XENOPROF_REPORT_CELLS_LEAF_THUNKS_H
#define XENOPROF_REPORT_CELLS_LEAF_THUNKS_H

#include "report/model/loaded.h"

/* Places of a session that became a thunk's once samples had been counted for
 * them.  Who reads leaves only has forgotten by then who called these, so it
 * reads the session again, with this list. */
struct late_thunks {
    VECTOR(uint32_t); /* numbers */
};

bool symbol_is_thunk(const char *symbol);

/* Notes whether a place of that symbol (NULL: it has none yet) is a thunk's;
 * known: samples may have been counted for it when it was not.  late may be
 * NULL, if nobody reads again. */
void thunk_note(struct late_thunks *late, struct loaded_place *place,
                const char *symbol, bool known);

/* Of a session that was read with its stacks, once all places have their names:
 * leaves of chains that are thunks are left out.  One has no caller where its
 * chain was cut, or where the next function is of whoever was interrupted. */
void thunks_leave_out(struct loaded *loaded);

#endif

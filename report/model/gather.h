/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One session with all that a report needs to know of it.
 */
#ifndef XENOPROF_REPORT_MODEL_GATHER_H
#define XENOPROF_REPORT_MODEL_GATHER_H

#include "query.h"
#include "stacks.h"
#include "report/cells/leaf-thunks.h"

struct gathered_session {
    struct kernels kernels;
    struct loaded loaded;
    struct late_thunks late;
    struct stacks stacks; /* empty if the query does not need them */
    char *path;           /* of the session */
    bool whole;           /* all is there, whatever the failure, */
    bool begun;           /* ... of the session's beginning alone */
};

/* Gives each cell from that index on why its guest had entered Xen, by name
 * (cell.entry): a hypercall by the function of Xen's that its stack has, if
 * stacks were read. */
void name_entries(struct loaded *loaded, size_t first);

/* Gives each cell who ran in its guest, if threads were read; good until a
 * thread is added. */
void name_threads(struct loaded *loaded);

/* Reads the session of that name or path, with times and names, and drops
 * what the query does not select.  A selected domain that the session does
 * not know is a failure, but then all is there.  gathered_free() in any case
 * (all zeroes is free already). */
enum exit_status gather(struct gathered_session *gathered,
                        const struct query *query, const char *session,
                        struct failure *failure);
/* Drops what another query than that of gather() does not select, of the same
 * time and with the same stacks: all cells are there as before any filter. */
enum exit_status gather_again(struct gathered_session *gathered,
                              const struct query *query,
                              struct failure *failure);
void gathered_free(struct gathered_session *gathered);

#endif

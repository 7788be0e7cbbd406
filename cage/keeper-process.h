/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keeper itself. */
#ifndef XENOPROF_CAGE_KEEPER_PROCESS_H
#define XENOPROF_CAGE_KEEPER_PROCESS_H

#include "privileges.h"
#include "process-maker.h"

/* What makes processes for the daemon: the keeper, or another in its own
 * cage. */
struct keeper_kind {
    const char *name;                /* of the process */
    const struct identity *identity; /* that it becomes; NULL: keeps ours */
    process_act act;
    /* From now on the process can do no more than it has to.  Returns 0 or a
     * negative errno. */
    int (*shut_in)(void);
};

/* For a process that was just forked: becomes the keeper, says one byte when it
 * is shut in, and obeys orders until the daemon is gone.  Ends the process. */
void keeper_process_run(int orders, const struct keeper_kind *kind);

/* From now on, a system call that neither the keeper nor a process on its way
 * into its sandbox needs kills the process.  Returns 0 or a negative errno. */
int keeper_filter(void);

#endif

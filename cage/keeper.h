/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper: a process that forks and kills parser processes, since the daemon
 * behind its filter can do neither.  The keeper never has Xen's devices, obeys
 * orders of the daemon (keeper-order.h), says nothing, and ends with it.
 */
#ifndef XENOPROF_CAGE_KEEPER_H
#define XENOPROF_CAGE_KEEPER_H

#include "base/vector.h"
#include "privileges.h"
#include "keeper-process.h"
#include "process-maker.h"

struct ended_processes {
    VECTOR(uint32_t);
};

struct keeper {
    int orders; /* socket to the keeper; -1: there is none */
    pid_t pid;
    uint32_t made, living;        /* processes; living: not ordered to end */
    struct process_work work;     /* of those */
    struct ended_processes ended; /* orders to end them that found no room */
};

/* As keeper_start(), of what else may make processes for the daemon. */
int keeper_start_as(struct keeper *keeper, const struct keeper_kind *kind,
                    struct failure *failure);

/*
 * Forks the keeper; call it before anything is open that the keeper must not
 * have.  The keeper becomes identity (NULL: keeps ours).  Returns, when it is
 * ready, 0, or an exit status with its sentence.
 */
int keeper_start(struct keeper *keeper, const struct identity *identity,
                 process_act act, struct failure *failure);
/* Ends the keeper and its processes. */
void keeper_stop(struct keeper *keeper);

/* Returns the maker for search_begin() and walker_begin(). */
struct process_maker keeper_maker(struct keeper *keeper);

/* Returns false if the keeper has gone: no process can be made any more, and
 * those that it made are dead. */
bool keeper_is_there(const struct keeper *keeper);

#endif

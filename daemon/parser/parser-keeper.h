/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper: a process that makes parsers and ends them, since the
 * daemon behind its filter can do neither.  It was never near Xen's devices,
 * reads nothing but one-byte orders of the daemon, and ends with it.
 */
#ifndef XENOPROF_DAEMON_PARSER_PARSER_KEEPER_H
#define XENOPROF_DAEMON_PARSER_PARSER_KEEPER_H

#include "parser-maker.h"
#include "daemon/privileges.h"

struct keeper {
    int orders; /* to the keeper; -1: there is none */
    void (*run)(int requests, int answers);
};

/*
 * Fork it, before anything is open that it should not have; it becomes
 * identity (NULL: stays who it is) and makes parsers that run it, and
 * end when it returns.
 * Returns when it is ready.  0, or a status with its sentence.
 */
int keeper_start(struct keeper *keeper, const struct identity *identity,
                 void (*run)(int, int), struct failure *failure);
void keeper_stop(struct keeper *keeper);

/* What parser_link_open() is given. */
struct parser_maker keeper_maker(struct keeper *keeper);

#endif

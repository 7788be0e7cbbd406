/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keeper: a process that forks and kills parsers, since the daemon behind
 * its filter can do neither.  The keeper never has Xen's devices, reads only
 * one-byte orders of the daemon, and ends with the daemon.
 */
#ifndef XENOPROF_DAEMON_PARSER_PARSER_KEEPER_H
#define XENOPROF_DAEMON_PARSER_PARSER_KEEPER_H

#include "parser-maker.h"
#include "daemon/privileges.h"

struct parser_keeper {
    int orders; /* socket to the keeper; -1: there is none */
    void (*run)(int requests, int answers);
};

/*
 * Forks the keeper; call it before anything is open that the keeper must not
 * have.  The keeper becomes identity (NULL: keeps ours); its parsers call run
 * and end when that returns.  Returns, when the keeper is ready, 0, or an exit
 * status with its sentence.
 */
int parser_keeper_start(struct parser_keeper *keeper,
                        const struct identity *identity, void (*run)(int, int),
                        struct failure *failure);
void parser_keeper_stop(struct parser_keeper *keeper);

/* Returns the maker for parser_link_open(). */
struct parser_maker parser_keeper_maker(struct parser_keeper *keeper);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Drops what a writer knows of domains that have ended, now and then, as a
 * garbage collector does: a session may see any number of domains.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_SWEEP_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_SWEEP_H

#include "session-state.h"

/* Drops the places of domains that have ended, the stacks with such places,
 * these domains, strings that nothing needs, and numbers that are not defined.
 * What stays keeps its number.  Returns false if there is no memory: nothing is
 * dropped. */
bool state_sweep(struct session_state *state);

/* The same, if what is dropped is worth it. */
void state_sweep_now_and_then(struct session_state *state);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which pCPU is inside which half of a sample, so that what both use can be
 * taken out of sight, waited for, and freed.
 *
 * The counters are static, not part of a session: a half must be able to say
 * that it is there before it looks whether there is a session at all.
 */
#ifndef XENOPROF_HYPERVISOR_PRESENCE_H
#define XENOPROF_HYPERVISOR_PRESENCE_H

#include "port.h"

enum presence_half { PRESENCE_FIRST, PRESENCE_SECOND, PRESENCE_HALVES };

/* Around all that a half does on this pCPU; not nested. [nmi] */
void presence_enter(enum presence_half half, unsigned int pcpu);
void presence_leave(enum presence_half half, unsigned int pcpu);

/*
 * True once every pCPU has left what it was in when this was called, so that
 * nobody uses what was taken out of sight before.  False if one did not in
 * 100 ms: free nothing.  The caller itself must be in no half. [command]
 */
bool presence_wait(enum presence_half half);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which pCPU is inside which half of a sample, or in a tick, so that what those
 * use can be unpublished, waited for, and freed.
 *
 * The counters are static and not part of a session: a half must announce
 * itself before it looks for a session at all.
 */
#ifndef XENOPROF_HYPERVISOR_PRESENCE_H
#define XENOPROF_HYPERVISOR_PRESENCE_H

#include "port.h"

enum presence_half {
    PRESENCE_FIRST,
    PRESENCE_SECOND,
    PRESENCE_TICK,
    PRESENCE_HALVES
};

/*
 * To be called around all that a half does on this pCPU; do not nest.  Returns
 * true; or false where nobody would wait for this pCPU, since its number is too
 * high: then the half must look for nothing, and not leave. [nmi]
 */
bool presence_enter(enum presence_half half, unsigned int pcpu);
void presence_leave(enum presence_half half, unsigned int pcpu);

/*
 * Waits until every pCPU has left the half that it was in when this was called.
 * Returns true when nobody uses any more what was unpublished before; false if
 * a pCPU did not leave within 100 ms: then nothing may be freed.  The caller
 * itself must not be in a half. [command]
 */
bool presence_wait(enum presence_half half);

/* Returns whether another pCPU is inside.  If not, every half that enters from
 * now on sees what was changed before. [soft] */
bool presence_elsewhere(enum presence_half half);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vchan that a guest's agent offers, from dom0's side. */
#ifndef XENOPROF_DAEMON_RELAY_VCHAN_JOIN_H
#define XENOPROF_DAEMON_RELAY_VCHAN_JOIN_H

#include <stdbool.h>

#include "agent/channel/vchan-rings.h"

/* Maps it, as root.  Until this process ends the guest sees that somebody is
 * there.  Returns false if the domain offers none, or what is none. */
bool vchan_join(uint32_t domain, struct vchan_rings *ret);
/* The guest sees that nobody is there any more; the memory stays mapped until
 * the process ends, which it should then. */
void vchan_leave(const struct vchan_rings *rings);

#endif

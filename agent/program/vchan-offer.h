/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The memory of a vchan, offered to domain 0. */
#ifndef XENOPROF_AGENT_PROGRAM_VCHAN_OFFER_H
#define XENOPROF_AGENT_PROGRAM_VCHAN_OFFER_H

#include <stdbool.h>

#include "agent/channel/vchan-rings.h"

/* Grants it, and says so in xenstore, at AGENT_VCHAN_PATH; that needs root.  It
 * ends with the process, of which Linux then clears srv_live.  Returns false
 * with errno if nothing is offered. */
bool vchan_offer(struct vchan_rings *ret);

#endif

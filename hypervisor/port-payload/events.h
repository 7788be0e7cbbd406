/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_EVENTS_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_EVENTS_H

#include "xen.h"

/* Allocates a timer for each pCPU, before the first command.  Returns false
 * without memory. */
bool events_prepare(void);

/* The module is unloaded: removes all timers, and our softirq handler. */
void events_forget(void);

#endif

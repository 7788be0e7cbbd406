/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_EVENTS_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_EVENTS_H

#include "xen.h"

/* Memory for a timer for each pCPU; before the first command. */
bool events_prepare(void);

/* The module goes: no timer and no softirq of Xen's points to us any more. */
void events_forget(void);

#endif

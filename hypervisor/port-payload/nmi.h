/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_NMI_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_NMI_H

#include "xen.h"

/* Memory for sending; before the first command.  False if there is none. */
bool nmi_prepare(void);

/* The module goes: neither the slot nor Xen's copy of it, saved while a
 * livepatch is applied or reverted, may point to us afterwards. */
void nmi_forget(void);

#endif

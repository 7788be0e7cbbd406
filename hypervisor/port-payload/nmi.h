/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_HYPERVISOR_PORT_PAYLOAD_NMI_H
#define XENOPROF_HYPERVISOR_PORT_PAYLOAD_NMI_H

#include "xen.h"

/* Allocates what sending needs, before the first command.  Returns false
 * without memory. */
bool nmi_prepare(void);

/* The module is unloaded: clears the slot if it is ours, and the copy that Xen
 * keeps while a livepatch is applied or reverted. */
void nmi_forget(void);

#endif

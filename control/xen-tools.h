/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether Xen's libraries in dom0 speak the running hypervisor's language.
 * They do not from an upgrade of Xen's packages until the next reboot: the
 * hypervisor then refuses each of their calls as it would refuse a guest's.  A
 * policy of XSM (Flask) may do the same.
 */
#ifndef XENOPROF_CONTROL_XEN_TOOLS_H
#define XENOPROF_CONTROL_XEN_TOOLS_H

#include <xenctrl.h>

#include "base/failure.h"

/* Returns 0, or STATUS_TOOLS. */
int xen_tools_check(xc_interface *xc, struct failure *failure);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether this process may control Xen, and what Xen's libraries print.
 */
#ifndef XENOPROF_CONTROL_XEN_ACCESS_H
#define XENOPROF_CONTROL_XEN_ACCESS_H

#include <xentoollog.h>

#include "base/failure.h"

/* Returns 0 in dom0 as root, or STATUS_NO_XEN, STATUS_NOT_ROOT or
 * STATUS_NO_DOM0. */
int xen_access_check(struct failure *failure);

/*
 * Returns a logger that drops everything: Xen's libraries would print to
 * stderr what their callers report better.  Never NULL; nobody destroys it.
 */
xentoollog_logger *quiet_log(void);

#endif

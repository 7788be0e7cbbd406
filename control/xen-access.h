/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Whether this process may control Xen, and what Xen's libraries print and
 * return.
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

/*
 * Returns what a function of libxc returned: 0 or more, or a negative errno.
 * Some of them return -1 and set errno, others the negative errno itself; so
 * errno must be 0 before the call.
 */
int libxc_result(int result);

#endif

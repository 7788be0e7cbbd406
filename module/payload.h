/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Payloads in Xen's livepatch loader: up, applied, down, listed.
 */
#ifndef XENOPROF_MODULE_PAYLOAD_H
#define XENOPROF_MODULE_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include <xenctrl.h>

#include "control/payload-list.h"

/* Functions return 0 or Xen's own -errno. */

/* Upload only; payload_withdraw() takes it away again. */
int payload_upload(xc_interface *xc, const char *name, const char *path);
int payload_withdraw(xc_interface *xc, const char *name);

/*
 * Upload and apply.  Applying stops all pCPUs for a moment; Xen gives up when
 * they do not meet within its 30 ms, and it is tried again some times.
 * -EBUSY: they never met, or a livepatch is being worked on; -EINVAL, -EEXIST,
 * -EOPNOTSUPP: refused.  After a failure nothing of it is left.  any_order:
 * without looking what it is applied on.
 */
int payload_load(xc_interface *xc, const char *name, const char *path,
                 bool any_order);

/* Revert and withdraw.  -EBUSY: another payload lies above it. */
int payload_unload(xc_interface *xc, const char *name);

/* XEN_LIVEPATCH's state of that payload, or -ENOENT. */
int payload_state(xc_interface *xc, const char *name);

#endif

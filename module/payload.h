/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Uploads, applies, reverts and withdraws payloads of Xen's livepatch loader.
 */
#ifndef XENOPROF_MODULE_PAYLOAD_H
#define XENOPROF_MODULE_PAYLOAD_H

#include <stdbool.h>
#include <stddef.h>

#include <xenctrl.h>

#include "control/payload-list.h"

/* Reads the file of a payload; the caller frees *ret.  Returns 0, -errno, or
 * -EFBIG if it is empty or more than Xen takes. */
int payload_read(const char *path, unsigned char **ret, size_t *size);

/* Every other function returns 0, or Xen's own -errno. */

/* Uploads only; payload_withdraw() removes it again. */
int payload_upload(xc_interface *xc, const char *name, const char *path);
int payload_withdraw(xc_interface *xc, const char *name);

/*
 * Uploads and applies.  Applying stops all pCPUs for a moment.  Xen gives up
 * when they do not meet within 30 ms; then this tries again, up to 20 times.
 * Returns 0; -EBUSY if they never met or another livepatch is in progress; or
 * -EINVAL, -EEXIST, -EOPNOTSUPP if Xen refuses.  After a failure the payload is
 * withdrawn. any_order: whatever the payload is applied on.
 */
int payload_load(xc_interface *xc, const char *name, const char *path,
                 bool any_order);

/*
 * Reverts and withdraws.  Returns 0, or -EBUSY if another payload lies above.
 */
int payload_unload(xc_interface *xc, const char *name);

/* Returns whether that is the answer of a Xen without livepatches. */
bool payload_is_no_livepatch(int result);

/* Returns LIVEPATCH_STATE_* of that payload, or -ENOENT. */
int payload_state(xc_interface *xc, const char *name);

/* Returns whether a payload of any other name is applied. */
bool payload_others_applied(xc_interface *xc, const char *name);

#endif

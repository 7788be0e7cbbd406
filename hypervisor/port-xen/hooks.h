/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Xen calls.  Xen's files include this, so it knows only C.
 */
#ifndef XENOPROF_HYPERVISOR_PORT_XEN_HOOKS_H
#define XENOPROF_HYPERVISOR_PORT_XEN_HOOKS_H

/* Takes an NMI that interrupted these registers, and that Xen's own callback,
 * if there is one, left alone.  Returns true if it is ours. */
_Bool xenoprof_nmi(const void *registers);

/* Opens the door, when Xen has begun. */
void xenoprof_begin(void);

#endif

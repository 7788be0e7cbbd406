/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's own clock and idle times.  The clock is read at the module's door:
 * XENPF_getidletime, which has both, works only where dom0's kernel was given
 * the pCPUs' frequencies (cpufreq=dom0-kernel).
 */
#ifndef XENOPROF_DAEMON_XEN_CLOCK_H
#define XENOPROF_DAEMON_XEN_CLOCK_H

#include <xenctrl.h>

#include "xen.h"

struct xen_clock;

/* For pCPUs below limit; xc and what door stands for are used until
 * xen_clock_close().  0 or a negative errno. */
int xen_clock_open(xc_interface *xc, const struct door_client *door,
                   unsigned int limit, struct xen_clock **ret);
void xen_clock_close(struct xen_clock *clock);
/* Returns 0, or a negative errno: -ENOENT if the module is not loaded. */
int xen_clock_read(struct xen_clock *clock, struct idle_times *ret);

#endif

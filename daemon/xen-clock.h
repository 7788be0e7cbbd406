/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Xen's own clock and idle times, read together by one hypercall.
 */
#ifndef DAEMON_XEN_CLOCK_H
#define DAEMON_XEN_CLOCK_H

#include "host.h"

struct xen_clock;

/* For pCPUs below limit.  0 or a negative errno. */
int xen_clock_open(unsigned int limit, struct xen_clock **ret);
void xen_clock_close(struct xen_clock *clock);
int xen_clock_read(struct xen_clock *clock, struct idle_times *ret);

#endif

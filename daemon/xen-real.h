/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running Xen.  Opens everything that needs root; all of it still works
 * when the process has dropped its privileges.
 */
#ifndef XENOPROF_DAEMON_XEN_REAL_H
#define XENOPROF_DAEMON_XEN_REAL_H

#include "xen.h"

/* Returns 0, or an exit status with its sentence. */
int xen_real_open(struct xen *ret, struct failure *failure);
void xen_real_close(struct xen *xen);

/*
 * Asks xenstore to report when domains come and go.  Makes a thread, so it is
 * called after privileges were dropped.  Returns the file descriptor that
 * becomes readable, or -1 if there is no xenstore.
 */
int xen_real_watch(struct xen *xen);
/* Takes all reports.  Returns true if there was one. */
bool xen_real_watched(struct xen *xen);

/* The module's event channel: readable when rings want to be read. */
int xen_real_wakeup_fd(const struct xen *xen);
/* Take and re-arm it. */
void xen_real_wakeup_taken(struct xen *xen);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running Xen.  Opens everything that needs root, once; all of it works
 * on when the process has become somebody else.
 */
#ifndef XENOPROF_DAEMON_XEN_REAL_H
#define XENOPROF_DAEMON_XEN_REAL_H

#include "xen.h"

/* 0, or a status with its sentence. */
int xen_real_open(struct xen *ret, struct failure *failure);
void xen_real_close(struct xen *xen);

/*
 * Ask xenstore to tell when domains come and go.  Makes a thread, so it is
 * called when privileges are gone already.  Returns the file descriptor that
 * becomes readable, or -1 if there is no xenstore.
 */
int xen_real_watch(struct xen *xen);
/* Take all that was told; true if there was something. */
bool xen_real_watched(struct xen *xen);

/* The module's event channel: readable when rings want to be read. */
int xen_real_wakeup_fd(const struct xen *xen);
/* Take and re-arm it. */
void xen_real_wakeup_taken(struct xen *xen);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The running Xen.  Opens everything that needs root, once; all of it works
 * on when the process has become somebody else.
 */
#ifndef XENOPROF_DAEMON_HOST_XEN_H
#define XENOPROF_DAEMON_HOST_XEN_H

#include "host.h"

/* 0, or a status with its sentence. */
int host_xen_open(struct host *ret, struct failure *failure);
void host_xen_close(struct host *host);

/*
 * Ask xenstore to tell when domains come and go.  Makes a thread, so it is
 * called when privileges are gone already.  Returns the file descriptor that
 * becomes readable, or -1 if there is no xenstore.
 */
int host_xen_watch(struct host *host);
/* Take all that was told; true if there was something. */
bool host_xen_watched(struct host *host);

/* The module's event channel: readable when rings want to be read. */
int host_xen_wakeup_fd(const struct host *host);
/* Take and re-arm it. */
void host_xen_wakeup_taken(struct host *host);

#endif

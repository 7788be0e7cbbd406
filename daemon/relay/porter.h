/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The porter: a process that makes relays (relay-process.h) as the keeper makes
 * parser processes, since Xen's devices for grants and event channels are
 * root's, and are opened anew for each guest; and agents of guest roots
 * (root-process.h), since only root can shut a process into a folder.  It stays
 * root, with the capabilities to do that, to become another user and to end who
 * has, and no others; it reads nothing of any guest.
 */
#ifndef XENOPROF_DAEMON_RELAY_PORTER_H
#define XENOPROF_DAEMON_RELAY_PORTER_H

#include "cage/keeper.h"

/* Forks it; its processes become identity, which is good as long as the porter
 * is to be started.  As keeper_start(). */
int porter_start(struct keeper *porter, const struct identity *identity,
                 struct failure *failure);

#endif

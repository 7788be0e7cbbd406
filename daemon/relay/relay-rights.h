/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the porter and its processes may do. */
#ifndef XENOPROF_DAEMON_RELAY_RELAY_RIGHTS_H
#define XENOPROF_DAEMON_RELAY_RELAY_RIGHTS_H

#include "cage/filter.h"
#include "cage/privileges.h"

/* User and group of who reads files of a guest, whatever dom0's users are: a
 * number that no distribution gives to anybody, so what it may read is what
 * everybody may. */
#define READER_ID 0x7ffffff0u

/* Whom its relays become. */
void relay_rights_user(const struct identity *identity);
/* What the porter keeps of root's capabilities; from now on it is CAGE_PORTER.
 * Returns 0 or a negative errno. */
int relay_rights_keep(void);
/* For one that is ready: becomes that user, or READER_ID for CAGE_ROOT, without
 * any capability, and has this role from now on.  Returns 0 or a negative
 * errno. */
int relay_rights_drop(enum cage_role role);

#endif

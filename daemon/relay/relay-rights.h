/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the porter and its processes may do. */
#ifndef XENOPROF_DAEMON_RELAY_RELAY_RIGHTS_H
#define XENOPROF_DAEMON_RELAY_RELAY_RIGHTS_H

#include "cage/privileges.h"

/* User and group of who reads files of a guest, whatever dom0's users are: a
 * number that no distribution gives to anybody, so what it may read is what
 * everybody may. */
#define READER_ID 0x7ffffff0u

enum relay_stage {
    RELAY_CONNECTS, /* the porter, and its processes until they are ready */
    RELAY_PASSES,   /* a relay that hands messages on */
    RELAY_READS,    /* an agent that reads files of its root */
    RELAY_STAGES
};

/* From now on, a system call that this stage does not need ends the process.
 * Returns 0 or a negative errno. */
int relay_rights_filter(enum relay_stage stage);

/* Whom its relays become. */
void relay_rights_user(const struct identity *identity);
/* What the porter keeps of root's capabilities, and is in its stage.  Returns 0
 * or a negative errno. */
int relay_rights_keep(void);
/* For one that is ready: becomes that user, or READER_ID, without any
 * capability, and is in its last stage.  Returns 0 or a negative errno. */
int relay_rights_drop(enum relay_stage stage);

#endif

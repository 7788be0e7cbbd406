/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What xenoprof-push may do: talk to a network, read sessions, and write its
 * folder, as a user without capabilities.
 */
#ifndef XENOPROF_PUSH_PUSH_RIGHTS_H
#define XENOPROF_PUSH_PUSH_RIGHTS_H

#include "cage/privileges.h"

/* From now on this is the user, whom root must have found; who is not root
 * stays who it is.  0 or STATUS_FAILED. */
int push_rights_drop(const struct identity *user, struct failure *failure);
/* From now on a system call that it does not need ends it.  0 or
 * STATUS_FAILED. */
int push_rights_filter(const struct identity *user, struct failure *failure);

#endif

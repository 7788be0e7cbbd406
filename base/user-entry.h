/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where users are looked up. */
#ifndef XENOPROF_BASE_USER_ENTRY_H
#define XENOPROF_BASE_USER_ENTRY_H

#include <pwd.h>

/* Returns a user, good until the next call; NULL: there is none.
 * user-entry-system.c asks whatever the system is set up to ask.  That loads
 * libraries, so a static program takes user-entry-file.c's, which reads
 * /etc/passwd alone. */
const struct passwd *user_entry(const char *name);

#endif

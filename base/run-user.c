/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "run-user.h"

#include "user-entry.h"

int run_user_find(const char *name, uid_t *user, gid_t *group,
                  struct failure *failure)
{
    const struct passwd *entry = user_entry(name);

    if ( !entry )
        return fail(failure, STATUS_NO_USER,
                    "there is no user '%s' to run as; make one with: useradd "
                    "--system --no-create-home --shell /usr/sbin/nologin %s; "
                    "or name another with --user",
                    name, name);
    *user = entry->pw_uid;
    *group = entry->pw_gid;
    return 0;
}

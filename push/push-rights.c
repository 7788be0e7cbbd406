/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "push-rights.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "cage/filter.h"

int push_rights_drop(const struct identity *user, struct failure *failure)
{
    if ( geteuid() == 0 )
        return privileges_drop(user, failure)
                   ? failure->status
                   : privileges_forbid_dumps(failure);
    if ( prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) )
        return fail(failure, STATUS_FAILED, "privileges cannot be dropped: %s",
                    strerror(errno));
    return privileges_forbid_dumps(failure);
}

int push_rights_filter(const struct identity *user, struct failure *failure)
{
    int code = filter_set(CAGE_PUSH, -1);

    if ( code )
        return fail(failure, STATUS_FAILED,
                    "the filter for system calls cannot be set (%s); the "
                    "kernel needs CONFIG_SECCOMP_FILTER",
                    strerror(-code));
    return user ? privileges_verify(user, failure) : 0;
}

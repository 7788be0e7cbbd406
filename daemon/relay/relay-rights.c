/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "relay-rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <sys/resource.h>

#include "write-ban.h"

static struct identity user;

void relay_rights_user(const struct identity *identity)
{
    user = *identity;
}

int relay_rights_keep(void)
{
    int code = privileges_keep(CAP_TO_MASK(CAP_SETUID) |
                               CAP_TO_MASK(CAP_SETGID) | CAP_TO_MASK(CAP_KILL) |
                               CAP_TO_MASK(CAP_SYS_CHROOT));

    if ( !code )
        code = write_ban();
    return code ? code : filter_set(CAGE_PORTER, -1);
}

int relay_rights_drop(enum cage_role role)
{
    const struct identity reader = {READER_ID, READER_ID};
    const struct rlimit none = {0, 0};

    if ( privileges_become(role == CAGE_ROOT ? &reader : &user) ||
         setrlimit(RLIMIT_CORE, &none) || setrlimit(RLIMIT_NPROC, &none) )
        return -EPERM;
    return filter_set(role, -1);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "write-ban.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scope.h"

#define OPENS_TO_WRITE LANDLOCK_ACCESS_FS_WRITE_FILE
/* Headers of Linux 6.1 do not have it. */
#define CUTS (1ull << 14)
/* Landlock's third version, which knows CUTS. */
#define KNOWS_CUTS 3

#define MAKES_AND_REMOVES                                                      \
    (LANDLOCK_ACCESS_FS_REMOVE_DIR | LANDLOCK_ACCESS_FS_REMOVE_FILE |          \
     LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_DIR |              \
     LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |              \
     LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_BLOCK |            \
     LANDLOCK_ACCESS_FS_MAKE_SYM)

/* A folder that is not there needs no exception. */
static int except(int rules, const char *folder)
{
    struct landlock_path_beneath_attr beneath = {
        .allowed_access = OPENS_TO_WRITE};
    int fd SCOPE_CLOSE = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

    beneath.parent_fd = fd;
    return fd >= 0 && syscall(SYS_landlock_add_rule, rules,
                              LANDLOCK_RULE_PATH_BENEATH, &beneath, 0)
               ? -errno
               : 0;
}

static int restrict_self(uint64_t accesses)
{
    const struct landlock_ruleset_attr all = {.handled_access_fs = accesses};
    int rules SCOPE_CLOSE = (int)syscall(SYS_landlock_create_ruleset, &all,
                                         sizeof(all), 0);
    int code = rules < 0 ? -errno : except(rules, "/dev/xen");

    if ( !code )
        code = except(rules, "/proc/xen");
    return !code && syscall(SYS_landlock_restrict_self, rules, 0) ? -errno
                                                                  : code;
}

int write_ban(void)
{
    const struct rlimit none = {0, 0};
    long version = syscall(SYS_landlock_create_ruleset, NULL, 0,
                           LANDLOCK_CREATE_RULESET_VERSION);

    if ( setrlimit(RLIMIT_FSIZE, &none) )
        return -errno;
    if ( version < 1 )
        return 0;
    return restrict_self(OPENS_TO_WRITE | MAKES_AND_REMOVES |
                         (version < KNOWS_CUTS ? 0 : CUTS));
}

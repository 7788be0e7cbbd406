/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process-root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scope.h"

int process_root_open(int32_t tgid)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/%d/root", tgid);
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

/* Names a file without opening it: no driver gets to know. */
static int name_file(int root, const char *path)
{
    const struct open_how how = {.flags = O_PATH | O_CLOEXEC,
                                 .resolve = RESOLVE_IN_ROOT |
                                            RESOLVE_NO_MAGICLINKS};

    return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

/* Opens what a descriptor names, whatever has its path by now. */
static int open_named(int named)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", named);
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

int process_root_open_file(int root, const char *path)
{
    int named SCOPE_CLOSE = name_file(root, path);
    struct stat status;

    if ( named < 0 || fstat(named, &status) || !S_ISREG(status.st_mode) )
        return -1;
    return open_named(named);
}

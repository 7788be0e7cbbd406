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

static int open_below(int root, const char *path, int flags)
{
    const struct open_how how = {.flags = (uint32_t)flags | O_CLOEXEC,
                                 .resolve = RESOLVE_IN_ROOT |
                                            RESOLVE_NO_MAGICLINKS};

    return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

int process_root_name(int root, const char *path, struct stat *ret)
{
    /* No driver gets to know. */
    int named = open_below(root, path, O_PATH);

    if ( named < 0 || (!fstat(named, ret) && S_ISREG(ret->st_mode)) )
        return named;
    close(named);
    return -1;
}

int process_root_open_named(int named)
{
    /* Whatever has its path by now. */
    char path[32];

    snprintf(path, sizeof(path), "/proc/self/fd/%d", named);
    return open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

int process_root_open_file(int root, const char *path)
{
    struct stat status;
    int named SCOPE_CLOSE = process_root_name(root, path, &status);

    return named >= 0 ? process_root_open_named(named) : -1;
}

int process_root_open_without_proc(int root, const char *path)
{
    struct stat named_status, status;
    int named SCOPE_CLOSE = process_root_name(root, path, &named_status);
    int fd = named >= 0
                 ? open_below(root, path, O_RDONLY | O_NOCTTY | O_NONBLOCK)
                 : -1;

    if ( fd >= 0 && !fstat(fd, &status) &&
         status.st_dev == named_status.st_dev &&
         status.st_ino == named_status.st_ino )
        return fd;
    if ( fd >= 0 )
        close(fd);
    return -1;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "process-root.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int process_root_open(int32_t tgid)
{
    char path[32];

    snprintf(path, sizeof(path), "/proc/%d/root", tgid);
    return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int process_root_open_file(int root, const char *path)
{
    const struct open_how how = {
        .flags = O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
        .resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS};

    return (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
}

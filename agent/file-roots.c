/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "file-roots.h"

#include <fcntl.h>

#include "base/scope.h"
#include "process-root.h"

static int open_root(int32_t tgid)
{
    int root = tgid ? process_root_open(tgid) : -1;

    return root >= 0 ? root : open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
}

int file_roots_name(int32_t tgid, const char *path, struct stat *ret)
{
    int root SCOPE_CLOSE = open_root(tgid);

    return root >= 0 ? process_root_name(root, path, ret) : -1;
}

int file_roots_open(const struct file_roots *roots, int32_t tgid,
                    const char *path)
{
    int root SCOPE_CLOSE = -1;

    if ( roots->all >= 0 )
        return process_root_open_without_proc(roots->all, path);
    root = open_root(tgid);
    return root >= 0 ? process_root_open_file(root, path) : -1;
}

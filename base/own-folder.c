/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at a folder that is open already, so that nobody can exchange it after
 * the look. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "own-folder.h"

bool is_owned(const struct stat *info, uid_t owner)
{
    return info->st_uid == owner && !(info->st_mode & (S_IWGRP | S_IWOTH));
}

int own_folder_open(const char *path, uid_t owner)
{
    int folder = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat info;

    if ( folder < 0 )
        return -1;
    if ( fstat(folder, &info) == 0 && is_owned(&info, owner) )
        return folder;
    close(folder);
    errno = EPERM;
    return -1;
}

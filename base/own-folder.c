/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at a folder that is open already, so that nobody can exchange it after
 * the look. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "own-folder.h"
#include "scope.h"

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

/* Root could change the program in any case, and its owner. */
static bool is_trusted(const char *path, uid_t owner)
{
    struct stat info;

    return stat(path, &info) == 0 &&
           (is_owned(&info, owner) || is_owned(&info, 0));
}

/* Looks at each folder of path, behind its first bytes, and at the file. */
static bool is_way_trusted(char *path, size_t from, uid_t owner)
{
    for ( char *slash = path + from; slash; slash = strchr(slash + 1, '/') )
    {
        bool trusted;

        *slash = '\0';
        trusted = is_trusted(path, owner);
        *slash = '/';
        if ( !trusted )
            return false;
    }
    return is_trusted(path, owner);
}

bool own_file_beside(const char *program, const char *relative, char *path,
                     size_t size)
{
    char *real SCOPE_FREE = realpath(program, NULL);
    struct stat info;
    size_t folder;
    int length;

    if ( !real || stat(real, &info) )
        return false;
    folder = (size_t)(strrchr(real, '/') - real);
    length = snprintf(path, size, "%.*s/%s", (int)folder, real, relative);
    return length > 0 && (size_t)length < size &&
           is_way_trusted(path, folder, info.st_uid);
}

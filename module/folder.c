/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks and locks MODULE_FOLDER, and keeps files in it. */
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"

static bool is_ours(const struct stat *info)
{
    return info->st_uid == geteuid() && !(info->st_mode & (S_IWGRP | S_IWOTH));
}

static int make_one(struct module_context *context, const char *path,
                    mode_t mode)
{
    struct stat info;

    if ( mkdir(path, mode) && errno != EEXIST )
        return fail(context->failure, STATUS_FAILED, "cannot create %s: %s",
                    path, strerror(errno));
    if ( lstat(path, &info) )
        return fail(context->failure, STATUS_FAILED, "cannot inspect %s: %s",
                    path, strerror(errno));
    if ( S_ISDIR(info.st_mode) && is_ours(&info) )
        return 0;
    return fail(context->failure, STATUS_FAILED,
                "%s must be a folder that only root may write to, as "
                "files in %s go into the hypervisor; correct its owner "
                "and mode",
                path, MODULE_FOLDER);
}

/* /var/lib is the system's own; the folders below it are ours. */
static int make_all(struct module_context *context)
{
    char parent[] = MODULE_FOLDER;
    int status;

    *strrchr(parent, '/') = 0;
    status = make_one(context, parent, 0755);
    return status ? status : make_one(context, MODULE_FOLDER, 0700);
}

int folder_lock(struct module_context *context, int *lock)
{
    int status;

    *lock = -1;
    status = make_all(context);
    if ( status )
        return status;
    *lock = open(MODULE_FOLDER,
                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if ( *lock >= 0 && !flock(*lock, LOCK_EX) )
        return 0;
    status = fail(context->failure, STATUS_FAILED, "cannot lock %s: %s",
                  MODULE_FOLDER, strerror(errno));
    scope_close(lock);
    *lock = -1;
    return status;
}

static int write_through(const char *path, int flags)
{
    int file SCOPE_CLOSE = open(path, flags | O_CLOEXEC);

    return file < 0 || fsync(file) ? -errno : 0;
}

int folder_keep(const char *fresh, const char *path)
{
    int result = write_through(fresh, O_RDONLY);

    if ( !result && rename(fresh, path) )
        result = -errno;
    return result ? result : write_through(MODULE_FOLDER, O_DIRECTORY);
}

bool folder_has(const char *path)
{
    struct stat info;

    return !lstat(path, &info) && S_ISREG(info.st_mode) && is_ours(&info) &&
           info.st_size > 0;
}

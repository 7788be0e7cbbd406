/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "folder.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_ours(const struct stat *info)
{
    return info->st_uid == geteuid() && !(info->st_mode & (S_IWGRP | S_IWOTH));
}

static enum module_code make_one(struct module_context *context,
                                 const char *path, mode_t mode)
{
    struct stat info;

    if ( mkdir(path, mode) && errno != EEXIST )
        return context_fail(context, MODULE_SYSTEM, "cannot make %s: %s", path,
                            strerror(errno));
    if ( lstat(path, &info) )
        return context_fail(context, MODULE_SYSTEM, "cannot look at %s: %s",
                            path, strerror(errno));
    if ( S_ISDIR(info.st_mode) && is_ours(&info) )
        return MODULE_OK;
    return context_fail(context, MODULE_SYSTEM,
                        "%s must be a folder that only root may write to, as "
                        "what lies in %s goes into the hypervisor; put its "
                        "owner and mode right",
                        path, MODULE_FOLDER);
}

/* /var/lib is the system's own; those below are ours. */
static enum module_code make_all(struct module_context *context)
{
    char parent[] = MODULE_FOLDER;
    enum module_code code;

    *strrchr(parent, '/') = 0;
    code = make_one(context, parent, 0755);
    return code ? code : make_one(context, MODULE_FOLDER, 0700);
}

enum module_code folder_lock(struct module_context *context, int *lock)
{
    enum module_code code = make_all(context);

    *lock = -1;
    if ( code )
        return code;
    *lock = open(MODULE_FOLDER,
                 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if ( *lock >= 0 && !flock(*lock, LOCK_EX) )
        return MODULE_OK;
    code = context_fail(context, MODULE_SYSTEM, "cannot lock %s: %s",
                        MODULE_FOLDER, strerror(errno));
    if ( *lock >= 0 )
        close(*lock);
    *lock = -1;
    return code;
}

static int write_through(const char *path, int flags)
{
    int file = open(path, flags | O_CLOEXEC);
    int result = 0;

    if ( file < 0 )
        return -errno;
    if ( fsync(file) )
        result = -errno;
    close(file);
    return result;
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

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks and locks the folder of modules, and keeps files in it. */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own-folder.h"
#include "base/scope.h"

static int make_one(const char *path, mode_t mode, struct failure *failure)
{
    struct stat info;

    if ( mkdir(path, mode) && errno != EEXIST )
        return fail(failure, STATUS_FAILED, "cannot create %s: %s", path,
                    strerror(errno));
    if ( lstat(path, &info) )
        return fail(failure, STATUS_FAILED, "cannot inspect %s: %s", path,
                    strerror(errno));
    if ( S_ISDIR(info.st_mode) && is_owned(&info, geteuid()) )
        return 0;
    return fail(failure, STATUS_FAILED,
                "%s must be a folder that only root may write to, as files in "
                "it go into the hypervisor; correct its owner and mode",
                path);
}

/* Returns the folder of a path, malloc'ed, or NULL without memory. */
static char *folder_of(const char *path)
{
    return strndup(path, (size_t)(strrchr(path, '/') - path));
}

int folder_lock(const char *folder, int *lock, struct failure *failure)
{
    char *parent SCOPE_FREE = folder_of(folder);
    int status;

    *lock = -1;
    if ( !parent )
        return fail_memory(failure);
    /* The folder above ours is the system's own (/var/lib), ours are two. */
    if ( make_one(parent, 0755, failure) || make_one(folder, 0700, failure) )
        return failure->status;
    *lock = own_folder_open(folder, geteuid());
    if ( *lock >= 0 && !flock(*lock, LOCK_EX) )
        return 0;
    status = fail(failure, STATUS_FAILED, "cannot lock %s: %s", folder,
                  strerror(errno));
    scope_close(lock);
    *lock = -1;
    return status;
}

/* Six characters follow: mkstemp() chose them. */
static bool is_left_over(const char *name)
{
    size_t length = strlen(name), fresh = strlen(FOLDER_FRESH);

    if ( !strncmp(name, FOLDER_PASSING, strlen(FOLDER_PASSING)) )
        return length == strlen(FOLDER_PASSING) + 6;
    return length > fresh && !strcmp(name + length - fresh, FOLDER_FRESH);
}

static void remove_ours(int folder, const char *name)
{
    struct stat info;

    if ( !fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) &&
         S_ISREG(info.st_mode) && is_owned(&info, geteuid()) )
        unlinkat(folder, name, 0);
}

void folder_clean(int lock)
{
    /* Another description than the lock's: closedir() ends this one alone. */
    int fd = openat(lock, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *folder = fd < 0 ? NULL : fdopendir(fd);
    const struct dirent *entry;

    while ( folder && (entry = readdir(folder)) )
        if ( is_left_over(entry->d_name) )
            remove_ours(fd, entry->d_name);
    if ( folder )
        closedir(folder);
    else if ( fd >= 0 )
        close(fd);
}

static int write_through(const char *path, int flags)
{
    int file SCOPE_CLOSE = open(path, flags | O_CLOEXEC);

    return file < 0 || fsync(file) ? -errno : 0;
}

int folder_keep(const char *fresh, const char *path)
{
    char *folder SCOPE_FREE = folder_of(path);
    int result = folder ? write_through(fresh, O_RDONLY) : -ENOMEM;

    if ( !result && rename(fresh, path) )
        result = -errno;
    return result ? result : write_through(folder, O_DIRECTORY);
}

bool folder_has(const char *path)
{
    struct stat info;

    return !lstat(path, &info) && S_ISREG(info.st_mode) &&
           is_owned(&info, geteuid()) && info.st_size > 0;
}

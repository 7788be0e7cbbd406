/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sessions in the session directory: named, made, rotated, linked, deleted,
 * listed.  No step follows a symbolic link in place of a session.
 */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/own-folder.h"
#include "base/scope.h"
#include "base/vector.h"
#include "session-folders.h"

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
#define DATA_PREFIX  "DATA."

int session_name_check(const char *name, struct failure *failure)
{
    size_t length = strlen(name);
    bool good = length > 0 && length <= SESSION_NAME_MAX;

    for ( size_t i = 0; good && i < length; i++ )
        good = isalnum((unsigned char)name[i]) || strchr("._-", name[i]);
    if ( !good || name[0] == '.' || name[0] == '-' )
        return fail(failure, STATUS_RANGE,
                    "'%s' is not a valid session name: use up to %d letters, "
                    "digits, '.', '_' and '-'",
                    name, SESSION_NAME_MAX);
    if ( strcmp(name, SESSION_CURRENT) == 0 ||
         strcmp(name, SESSION_PREVIOUS) == 0 )
        return fail(failure, STATUS_RANGE,
                    "'%s' is reserved for the newest session or the one "
                    "before it; choose another name",
                    name);
    return 0;
}

static int make_parents(const char *dir)
{
    char *path SCOPE_FREE = strdup(dir);

    if ( !path )
        return -1;
    for ( char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/') )
    {
        mode_t mask;
        int code;

        *at = '\0';
        /* Others may pass through a new parent: the daemon's user does, when
         * root made it.  Not chmod(), which the daemon's filter does not
         * allow. */
        mask = umask(0022);
        code = mkdir(path, 0755);
        umask(mask);
        if ( code && errno != EEXIST )
            return -1;
        *at = '/';
    }
    return mkdir(path, 0700) && errno != EEXIST ? -1 : 0;
}

/* Makes dir if it is not there, and opens it.  Returns its descriptor, or -1
 * with a failure. */
static int open_own_dir(const char *dir, uid_t owner, struct failure *failure)
{
    struct stat status;
    int fd;

    if ( stat(dir, &status) && make_parents(dir) )
    {
        fail(failure, STATUS_SESSION_DIR,
             "the session directory %s cannot be made: %s; give "
             "another with --session-dir",
             dir, strerror(errno));
        return -1;
    }
    fd = own_folder_open(dir, owner);
    if ( fd < 0 && errno == EPERM )
        fail(failure, STATUS_SESSION_DIR,
             "the session directory %s must belong to the daemon's user (%u), "
             "and nobody else may write to it; correct its owner and mode, or "
             "give another with --session-dir",
             dir, (unsigned int)owner);
    else if ( fd < 0 )
        fail(failure, STATUS_SESSION_DIR,
             "the session directory %s cannot be opened: %s; give a folder "
             "with --session-dir, not a link to one",
             dir, strerror(errno));
    return fd;
}

int session_dir_prepare(const char *dir, struct failure *failure)
{
    int fd SCOPE_CLOSE = open_own_dir(dir, geteuid(), failure);

    if ( fd < 0 )
        return failure->status;
    if ( eaccess(dir, R_OK | W_OK | X_OK) )
        return fail(failure, STATUS_SESSION_DIR,
                    "the session directory %s cannot be written: %s; make it "
                    "belong to the daemon's user, or give another with "
                    "--session-dir",
                    dir, strerror(errno));
    return 0;
}

static int fail_errno(const char *dir, const char *what,
                      struct failure *failure)
{
    if ( errno == ENOSPC || errno == EDQUOT )
        return fail(failure, STATUS_DISK_FULL,
                    "the disk of %s is full; delete what is not needed", dir);
    return fail(failure, STATUS_SESSION_DIR,
                "in the session directory %s, %s: %s", dir, what,
                strerror(errno));
}

/* Calls act on each file name of the folder, until a call does not return 0.
 * Returns what the last call returned, or -1. */
static int each_file(int folder,
                     int (*act)(int folder, const char *file, void *context),
                     void *context)
{
    int copy SCOPE_CLOSE = openat(folder, ".", FOLDER_FLAGS);
    DIR *entries = copy < 0 ? NULL : fdopendir(copy);
    struct dirent *entry;
    int result = 0;

    if ( !entries )
        return -1;
    copy = -1; /* closedir() closes it */
    while ( !result && (entry = readdir(entries)) )
        if ( strcmp(entry->d_name, ".") && strcmp(entry->d_name, "..") )
            result = act(folder, entry->d_name, context);
    closedir(entries);
    return result;
}

static int count_one(int folder, const char *file, void *context)
{
    (void)folder, (void)file, (void)context;
    return 1;
}

static bool is_new_root_dir(int dir)
{
    struct stat status;

    return fstat(dir, &status) == 0 && status.st_uid == 0 &&
           (status.st_mode & 0777) == 0700 &&
           each_file(dir, count_one, NULL) == 0;
}

int session_dir_make_for(const char *dir, uid_t uid, gid_t gid,
                         struct failure *failure)
{
    struct stat status;
    bool given = stat(dir, &status) == 0 && status.st_uid == uid;
    int fd SCOPE_CLOSE = open_own_dir(dir, given ? uid : geteuid(), failure);

    if ( fd < 0 )
        return failure->status;
    if ( access(dir, W_OK) )
        return fail_errno(dir, "nothing can be written", failure);
    if ( is_new_root_dir(fd) && fchown(fd, uid, gid) )
        return fail_errno(dir, "the owner cannot be changed", failure);
    return 0;
}

static int open_dir(const char *dir, struct failure *failure)
{
    int fd = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if ( fd < 0 )
        fail_errno(dir, "nothing can be read", failure);
    return fd;
}

bool session_exists(const char *dir, const char *name)
{
    int fd SCOPE_CLOSE = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    struct stat status;

    return fd >= 0 && fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(status.st_mode);
}

static int unlink_file(int folder, const char *file, void *context)
{
    (void)context;
    return unlinkat(folder, file, 0);
}

int session_delete(const char *dir, const char *name, struct failure *failure)
{
    int parent SCOPE_CLOSE = open_dir(dir, failure);
    int folder SCOPE_CLOSE = -1;

    if ( parent < 0 )
        return failure->status;
    folder = openat(parent, name, FOLDER_FLAGS);
    if ( folder < 0 && errno == ENOENT )
        return 0;
    if ( folder < 0 || each_file(folder, unlink_file, NULL) ||
         unlinkat(parent, name, AT_REMOVEDIR) )
        return fail_errno(dir, "a session cannot be deleted", failure);
    return 0;
}

/* What was made and renamed is there after a power cut, too. */
static int sync_dir(int parent, const char *dir, struct failure *failure)
{
    if ( fsync(parent) )
        return fail_errno(dir, "names cannot be written to the disk", failure);
    return 0;
}

int session_rotate(const char *dir, struct failure *failure)
{
    int parent SCOPE_CLOSE = open_dir(dir, failure);

    if ( parent < 0 )
        return failure->status;
    if ( session_exists(dir, SESSION_CURRENT) )
    {
        if ( session_delete(dir, SESSION_PREVIOUS, failure) )
            return failure->status;
        if ( renameat(parent, SESSION_CURRENT, parent, SESSION_PREVIOUS) )
            return fail_errno(dir, "current cannot be renamed to previous",
                              failure);
    }
    if ( renameat(parent, SESSION_STARTING, parent, SESSION_CURRENT) )
        return fail_errno(dir, "the new session cannot be named current",
                          failure);
    return sync_dir(parent, dir, failure);
}

static int link_file(int folder, const char *file, void *context)
{
    const int *to = context;

    if ( strncmp(file, DATA_PREFIX, strlen(DATA_PREFIX)) )
        return 0;
    return linkat(folder, file, *to, file, 0);
}

/* Fills the new folder.  Returns 0 or -1. */
static int link_all(int parent, int from, const char *name)
{
    int to SCOPE_CLOSE = openat(parent, name, FOLDER_FLAGS);
    struct stat status;

    if ( to < 0 || fstat(from, &status) )
        return -1;
    /* The new folder belongs to the daemon's user, even if root saves. */
    if ( geteuid() == 0 && fchown(to, status.st_uid, status.st_gid) )
        return -1;
    return each_file(from, link_file, &to) || fsync(to) ? -1 : 0;
}

int session_link(const char *dir, const char *name, struct failure *failure)
{
    int parent SCOPE_CLOSE = -1;
    int from SCOPE_CLOSE = -1;
    struct failure ignored = {0};
    int status;

    if ( !session_exists(dir, SESSION_CURRENT) )
        return fail(failure, STATUS_NO_SESSION,
                    "there is no session to save in %s; xenopctl --start "
                    "makes one",
                    dir);
    parent = open_dir(dir, failure);
    if ( parent < 0 )
        return failure->status;
    from = openat(parent, SESSION_CURRENT, FOLDER_FLAGS);
    if ( from < 0 )
        return fail_errno(dir, "the session cannot be read", failure);
    if ( mkdirat(parent, name, 0700) )
    {
        if ( errno != EEXIST )
            return fail_errno(dir, "a folder cannot be made", failure);
        return fail(failure, STATUS_SESSION_EXISTS,
                    "a session named '%s' already exists; choose another "
                    "name or delete %s/%s",
                    name, dir, name);
    }
    if ( link_all(parent, from, name) == 0 )
        return sync_dir(parent, dir, failure);
    status = fail_errno(dir, "a file cannot be linked", failure);
    session_delete(dir, name, &ignored);
    return status;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void session_names_free(char **names)
{
    for ( char **at = names; at && *at; at++ )
        free(*at);
    free(names);
}

/* Returns the names, sorted, NULL at the end, or NULL if there is no memory. */
static char **read_session_names(const char *dir, DIR *entries)
{
    struct {
        VECTOR(char *);
    } names = {0};
    const struct dirent *entry;
    char **last = vector_add(&names);

    while ( last && (entry = readdir(entries)) )
    {
        if ( entry->d_name[0] == '.' || !session_exists(dir, entry->d_name) )
            continue;
        *last = strdup(entry->d_name);
        last = *last ? vector_add(&names) : NULL;
    }
    if ( !last )
    {
        for ( size_t i = 0; i < names.count; i++ )
            free(names.items[i]);
        vector_free(&names);
        return NULL;
    }
    qsort(names.items, names.count - 1, sizeof(*names.items), compare_names);
    return names.items;
}

char **session_names(const char *dir, struct failure *failure)
{
    DIR *entries = opendir(dir);
    char **names;

    if ( !entries && errno != ENOENT )
    {
        fail(failure, STATUS_SESSION_DIR,
             "the session directory %s cannot be read: %s", dir,
             strerror(errno));
        return NULL;
    }
    if ( entries )
    {
        names = read_session_names(dir, entries);
        closedir(entries);
    }
    else
        names = calloc(1, sizeof(*names));
    if ( !names )
        fail_memory(failure);
    return names;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dropping privileges, and looking in /proc that they are gone. */
#include <dirent.h>
#include <errno.h>
#include <grp.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/scope.h"
#include "base/user-entry.h"
#include "filter.h"
#include "privileges.h"

int identity_find(const char *name, struct identity *ret,
                  struct failure *failure)
{
    const struct passwd *entry = user_entry(name);

    if ( !entry )
        return fail(failure, STATUS_NO_USER,
                    "there is no user '%s' to run as; make one with: useradd "
                    "--system --no-create-home --shell /usr/sbin/nologin %s; "
                    "or name another with --user",
                    name, name);
    ret->uid = entry->pw_uid;
    ret->gid = entry->pw_gid;
    return 0;
}

void identity_give(const struct identity *identity, const char *path)
{
    struct stat status;

    if ( lstat(path, &status) == 0 && !S_ISLNK(status.st_mode) &&
         status.st_uid == 0 && identity->uid != 0 &&
         lchown(path, identity->uid, identity->gid) )
        return;
}

static int set_capabilities(uint32_t kept)
{
    struct __user_cap_header_struct header = {
        .version = _LINUX_CAPABILITY_VERSION_3,
    };
    const struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
        {.effective = kept, .permitted = kept}};

    return (int)syscall(SYS_capset, &header, data);
}

/* A kernel may know more capabilities than the headers, or fewer. */
static int empty_bounding_set(void)
{
    for ( unsigned long cap = 0; cap < 64; cap++ )
        if ( prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) && errno != EINVAL )
            return -1;
    return 0;
}

int privileges_become(const struct identity *identity)
{
    return setgroups(0, NULL) ||
                   setresgid(identity->gid, identity->gid, identity->gid) ||
                   setresuid(identity->uid, identity->uid, identity->uid) ||
                   set_capabilities(0)
               ? -errno
               : 0;
}

int privileges_drop(const struct identity *identity, struct failure *failure)
{
    if ( empty_bounding_set() || privileges_become(identity) ||
         prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) )
        return fail(failure, STATUS_FAILED,
                    "privileges cannot be dropped (%s), and the daemon does "
                    "not work with them",
                    strerror(errno));
    return 0;
}

int privileges_keep(uint32_t capabilities)
{
    return empty_bounding_set() || setgroups(0, NULL) ||
                   set_capabilities(capabilities) ||
                   prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
               ? -errno
               : 0;
}

int privileges_forbid_dumps(struct failure *failure)
{
    const struct rlimit none = {0, 0};

    if ( setrlimit(RLIMIT_CORE, &none) || prctl(PR_SET_DUMPABLE, 0) )
        return fail(failure, STATUS_FAILED,
                    "core dumps cannot be forbidden: %s", strerror(errno));
    return 0;
}

void privileges_allow_locking(uint64_t bytes)
{
    const struct rlimit wanted = {bytes, bytes};
    struct rlimit limit;

    if ( getrlimit(RLIMIT_MEMLOCK, &limit) || limit.rlim_cur >= bytes ||
         (limit.rlim_max < bytes && !setrlimit(RLIMIT_MEMLOCK, &wanted)) )
        return;
    limit.rlim_cur = limit.rlim_max < bytes ? limit.rlim_max : bytes;
    setrlimit(RLIMIT_MEMLOCK, &limit);
}

/* "Key:\tVALUE ..." of a status file: all its values are wanted. */
struct expected {
    const char *key;
    int base;
    unsigned int count;
    uint64_t wanted;
};

/* Returns what stands behind "Key:", or NULL. */
static const char *find_line(const char *text, const char *key)
{
    size_t length = strlen(key);
    const char *at = strncmp(text, key, length) ? strstr(text, key) : text;

    while ( at && (at[length] != ':' || (at != text && at[-1] != '\n')) )
        at = strstr(at + 1, key);
    return at ? at + length + 1 : NULL;
}

static bool is_as_wanted(const char *text, const struct expected *expected)
{
    const char *at = find_line(text, expected->key);
    unsigned int count = 0;

    while ( at && *(at += strspn(at, " \t")) != '\n' )
    {
        char *end;

        if ( strtoull(at, &end, expected->base) != expected->wanted ||
             end == at )
            return false;
        at = end;
        count++;
    }
    return at && count == expected->count;
}

int privileges_check(const char *status_path, const struct identity *identity,
                     struct failure *failure)
{
    /* Uid and Gid: real, effective, saved, of the file system. */
    const struct expected all[] = {
        {"Uid", 10, 4, identity->uid}, {"Gid", 10, 4, identity->gid},
        {"Groups", 10, 0, 0},          {"CapInh", 16, 1, 0},
        {"CapPrm", 16, 1, 0},          {"CapEff", 16, 1, 0},
        {"CapBnd", 16, 1, 0},          {"CapAmb", 16, 1, 0},
        {"NoNewPrivs", 10, 1, 1},      {"Seccomp", 10, 1, 2},
    };
    FILE *file SCOPE_FCLOSE = fopen(status_path, "re");
    char text[8192];
    size_t size;

    if ( !file )
        return fail(failure, STATUS_FAILED, "%s cannot be read", status_path);
    size = fread(text, 1, sizeof(text) - 1, file);
    text[size] = '\0';
    for ( size_t i = 0; i < sizeof(all) / sizeof(*all); i++ )
        if ( !is_as_wanted(text, &all[i]) )
            return fail(failure, STATUS_FAILED,
                        "privileges are not gone: %s in %s is not what it must "
                        "be; the daemon does not work with them",
                        all[i].key, status_path);
    return 0;
}

int privileges_verify(const struct identity *identity, struct failure *failure)
{
    DIR *tasks = opendir("/proc/self/task");
    struct dirent *entry;
    int status = 0;

    if ( !tasks )
        return fail(failure, STATUS_FAILED,
                    "/proc is not mounted; it shows whether privileges are "
                    "gone");
    while ( !status && (entry = readdir(tasks)) )
    {
        char path[sizeof("/proc/self/task//status") + 256];

        if ( entry->d_name[0] == '.' )
            continue;
        snprintf(path, sizeof(path), "/proc/self/task/%s/status",
                 entry->d_name);
        status = privileges_check(path, identity, failure);
    }
    closedir(tasks);
    return status;
}

int privileges_filter(struct failure *failure)
{
    int code = filter_set(CAGE_DAEMON, -1);

    if ( code )
        return fail(failure, STATUS_FAILED,
                    "the filter for system calls cannot be set (%s); the "
                    "kernel needs CONFIG_SECCOMP_FILTER",
                    strerror(-code));
    return 0;
}

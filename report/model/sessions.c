/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sessions.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define LIST_MAX 512u

static int is_session(const struct dirent *entry)
{
    return entry->d_name[0] != '.' &&
           (entry->d_type == DT_DIR || entry->d_type == DT_LNK ||
            entry->d_type == DT_UNKNOWN);
}

/* "a, b, c", as far as they fit; "" if there are none. */
static void list_sessions(const char *folder, char ret[LIST_MAX])
{
    struct dirent **entries;
    int count = scandir(folder, &entries, is_session, alphasort);
    size_t used = 0;

    ret[0] = '\0';
    if ( count < 0 )
        return;
    for ( int i = 0; i < count; i++ )
    {
        const char *name = entries[i]->d_name;

        if ( used + strlen(name) + sizeof(", ...") < LIST_MAX )
            used += (size_t)sprintf(ret + used, "%s%s", used ? ", " : "", name);
        free(entries[i]);
    }
    free(entries);
}

static enum exit_status no_session(const char *folder, const char *wanted,
                                   struct failure *failure)
{
    char list[LIST_MAX];

    if ( strchr(wanted, '/') )
        return fail(
            failure, STATUS_NO_SESSION,
            "%s does not exist: name a session's folder, or with a name "
            "without '/' a session of %s",
            wanted, folder);
    list_sessions(folder, list);
    if ( *list )
        return fail(failure, STATUS_NO_SESSION,
                    "there is no session \"%s\": %s has %s", wanted, folder,
                    list);
    return fail(failure, STATUS_NO_SESSION,
                "there is no session \"%s\", and %s has none: record one "
                "with xenopctl --start, or name a folder with "
                "--session-dir",
                wanted, folder);
}

enum exit_status session_find(const char *folder, const char *wanted,
                              char **ret, struct failure *failure)
{
    struct stat state;

    if ( strchr(wanted, '/') )
        *ret = strdup(wanted);
    else if ( asprintf(ret, "%s/%s", folder, wanted) < 0 )
        *ret = NULL;
    if ( !*ret )
        return fail_memory(failure);
    if ( !*wanted )
        return fail(failure, STATUS_USAGE,
                    "--session: no name given: name a session or a path");
    if ( !stat(*ret, &state) )
        return STATUS_DONE;
    if ( errno == EACCES )
        return fail(failure, STATUS_NO_ACCESS,
                    "%s cannot be read: sessions are private; run as root or "
                    "as the owner",
                    *ret);
    return no_session(folder, wanted, failure);
}

const char *session_name(char *path)
{
    size_t length = strlen(path);
    char *slash;

    while ( length > 1 && path[length - 1] == '/' )
        path[--length] = '\0';
    slash = strrchr(path, '/');
    return slash && slash[1] ? slash + 1 : path;
}

uint64_t session_bytes(const char *path)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    struct stat state;
    uint64_t bytes = 0;

    if ( !folder )
        return stat(path, &state) ? 0 : (uint64_t)state.st_size;
    while ( (entry = readdir(folder)) )
        if ( !fstatat(dirfd(folder), entry->d_name, &state, 0) &&
             S_ISREG(state.st_mode) )
            bytes += (uint64_t)state.st_size;
    closedir(folder);
    return bytes;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "sessions.h"

#include "base/must.h"
#include "base/scope.h"
#include "format.h"
#include "libxenoprof/session/session-attributes.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define LIST_MAX 512u
#define QUIET    ((uint64_t)60 * NS_PER_S)

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
        *ret = must(strdup(wanted));
    else
        *ret = must_text("%s/%s", folder, wanted);
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

static uint64_t as_ns(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * NS_PER_S + (uint64_t)time->tv_nsec;
}

bool session_has_folder(const char *path)
{
    struct stat state;

    return !stat(path, &state) && S_ISDIR(state.st_mode);
}

/* When any file of it was written last, ns since 1970. */
static uint64_t last_write(const char *folder)
{
    DIR *opened = opendir(folder);
    struct dirent *entry;
    struct stat state;
    uint64_t last = 0;

    while ( opened && (entry = readdir(opened)) )
        if ( !fstatat(dirfd(opened), entry->d_name, &state, 0) &&
             S_ISREG(state.st_mode) && as_ns(&state.st_mtim) > last )
            last = as_ns(&state.st_mtim);
    if ( opened )
        closedir(opened);
    return last;
}

uint64_t session_written(const char *path)
{
    struct stat state;

    if ( stat(path, &state) )
        return 0;
    return S_ISDIR(state.st_mode) ? last_write(path) : as_ns(&state.st_mtim);
}

/* Both the writing and what was written are of the last minute. */
static bool is_fresh(const char *folder, const struct loaded *loaded)
{
    const uint64_t written = last_write(folder);
    const uint64_t has = clocks_utc(&loaded->clocks, loaded->last);
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return as_ns(&now) < written + QUIET && (!has || written < has + QUIET);
}

/* The writer waits for as long as this takes. */
static bool is_locked(const char *folder)
{
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool locked = fd >= 0 && flock(fd, LOCK_SH | LOCK_NB) &&
                  errno == EWOULDBLOCK;

    if ( fd >= 0 )
        close(fd);
    return locked;
}

enum session_life session_state_find(const char *path,
                                     const struct loaded *loaded)
{
    const bool whole = session_has_folder(path);
    char *copy SCOPE_FREE = must(strdup(path));
    const char *folder = whole ? path : dirname(copy);

    if ( loaded->closed )
        return SESSION_CLOSED;
    if ( is_fresh(folder, loaded) || is_locked(folder) )
        return SESSION_OPEN;
    return whole ? SESSION_CUT : SESSION_PART;
}

const char *session_state_word(enum session_life state)
{
    static const char *const words[] = {
        [SESSION_CLOSED] = "closed",
        [SESSION_OPEN] = "open",
        [SESSION_CUT] = "cut",
        [SESSION_PART] = "part",
    };

    return words[state];
}

/* "2026-11-27 05:08:45 UTC", or since the start if UTC is not known. */
static void last_sample(const struct loaded *loaded, char ret[CLOCK_TEXT])
{
    const uint64_t utc = clocks_utc(&loaded->clocks, loaded->last);

    if ( !utc )
    {
        clock_format_length(loaded_since(loaded, loaded->last), ret);
        return;
    }
    clock_format_utc(utc, 0, ret);
    *strchr(ret, 'T') = ' ';
    strcpy(strchr(ret, 'Z'), " UTC");
}

char *session_state_text(enum session_life state, const struct loaded *loaded)
{
    char last[CLOCK_TEXT];

    if ( state == SESSION_CLOSED || state == SESSION_OPEN )
        return must(strdup(state == SESSION_CLOSED ? "closed" : "still open"));
    last_sample(loaded, last);
    return must_text("not closed: cut short or killed%s, last sample %s%s",
                     state == SESSION_PART ? " (or other files follow)" : "",
                     loaded->clocks.utc_known ? "" : "after ", last);
}

char *session_title(const char *name, const struct loaded *loaded)
{
    const char *host = loaded_attribute(loaded, SESSION_ATTRIBUTE_HOST);
    const uint64_t utc = clocks_utc(&loaded->clocks, loaded->clocks.start);
    const bool named = !host ||
                       (strcmp(name, "current") && strcmp(name, "previous"));
    char began[CLOCK_TEXT] = "", length[CLOCK_TEXT];

    clock_format_length(loaded_since(loaded, loaded->last), length);
    if ( utc )
    {
        clock_format_utc(utc, 0, began);
        *strchr(began, 'T') = ' ';
        *strrchr(began, ':') = '\0';
    }
    return must_text("%s%s%s%s%s, %s", named ? name : "",
                     named && host ? ", " : "", host ? host : "",
                     *began ? ", " : "", began, length);
}

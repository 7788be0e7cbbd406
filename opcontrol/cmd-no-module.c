/* SPDX-License-Identifier: GPL-2.0-or-later */
/* --record=SECONDS --no-module: what Xen itself says of who ran, and report. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/own-folder.h"
#include "base/scope.h"
#include "commands.h"
#include "control/session-folders.h"
#include "control/xen-access.h"
#include "launch.h"
#include "trace/trace-record.h"

static volatile sig_atomic_t tracing_interrupted;

static void interrupt_tracing(int number)
{
    (void)number;
    tracing_interrupted = 1;
}

/* Tracing has to end with us, whoever ends us. */
static void listen_to_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    struct sigaction action = {.sa_handler = interrupt_tracing};

    for ( size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++ )
        sigaction(numbers[i], &action, NULL);
}

static void show(unsigned int second, unsigned int seconds)
{
    bool terminal = isatty(STDERR_FILENO);

    if ( terminal )
        fprintf(stderr, "\r%u of %u s%s", second, seconds,
                second == seconds ? "\n" : "");
    else if ( second == seconds || second % 10 == 0 )
        fprintf(stderr, "xenopctl: %u of %u s\n", second, seconds);
}

/* The daemon deletes old sessions: what root made becomes its own, and nothing
 * that the daemon's user has put in its place. */
static int give_away(const char *folder, const struct stat *owner,
                     struct failure *failure)
{
    int fd = own_folder_open(folder, geteuid());
    DIR *list = fd >= 0 ? fdopendir(fd) : NULL;
    int code = list ? 0 : -1;

    for ( struct dirent *entry; !code && (entry = readdir(list)); )
        if ( entry->d_name[0] != '.' )
            code = fchownat(dirfd(list), entry->d_name, owner->st_uid,
                            owner->st_gid, AT_SYMLINK_NOFOLLOW);
    if ( !code )
        code = fchown(dirfd(list), owner->st_uid, owner->st_gid);
    if ( code )
        fail(failure, STATUS_SESSION_DIR,
             "%s cannot be given to the session directory's owner: %s", folder,
             strerror(errno));
    if ( list )
        closedir(list);
    else if ( fd >= 0 )
        close(fd);
    return failure->status;
}

static int record_into(const char *dir, unsigned int seconds, bool exits,
                       struct failure *failure)
{
    char *folder SCOPE_FREE = NULL;
    struct stat owner;

    if ( asprintf(&folder, "%s/%s", dir, SESSION_STARTING) < 0 )
    {
        folder = NULL;
        return fail_memory(failure);
    }
    if ( stat(dir, &owner) )
        return fail(failure, STATUS_SESSION_DIR, "%s: %s", dir,
                    strerror(errno));
    if ( session_delete(dir, SESSION_STARTING, failure) ||
         trace_record(folder, seconds, exits, &tracing_interrupted, show,
                      failure) ||
         give_away(folder, &owner, failure) )
        return failure->status;
    return session_rotate(dir, failure);
}

int record_without_module(const struct arguments *arguments,
                          struct failure *failure)
{
    const char *dir = arguments->start->session_dir;

    if ( xen_access_check(failure) )
        return failure->status;
    if ( client_daemon_runs() )
        return fail(failure, STATUS_BUSY,
                    "xenoprofd runs, which has the session directory: "
                    "--record=%u alone records with it, and knows more; "
                    "xenopctl --shutdown ends it",
                    arguments->seconds);
    listen_to_signals();
    if ( make_session_dir(arguments, failure) ||
         record_into(dir, arguments->seconds,
                     arguments->start->trace & TRACE_CHOICE_EXITS, failure) )
        return failure->status;
    return launch_report(dir, failure);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "control/protocol.h"
#include "programs.h"

extern char **environ;

/* Its exit status, or -1 if it could not be run. */
static int run(const char *path, char *const argv[])
{
    pid_t pid;
    int status;

    errno = posix_spawn(&pid, path, NULL, NULL, argv, environ);
    if ( errno )
        return -1;
    while ( waitpid(pid, &status, 0) < 0 )
        if ( errno != EINTR )
            return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : STATUS_NO_DAEMON;
}

int client_launch(const char *session_dir, struct failure *failure)
{
    char path[PATH_MAX], dir[PATH_MAX + sizeof("--session-dir=")];
    char *argv[] = {path, dir, NULL};
    int status;

    if ( client_daemon_runs() )
        return 0;
    snprintf(dir, sizeof(dir), "--session-dir=%s", session_dir);
    if ( !program_find("xenoprofd", "XENOPROFD", SBINDIR, path) )
        return fail(failure, STATUS_NO_DAEMON,
                    "xenoprofd is neither beside xenopctl nor in %s; install "
                    "it, or set XENOPROFD to its path",
                    SBINDIR);
    status = run(path, argv);
    if ( status < 0 )
        return fail(failure, STATUS_NO_DAEMON, "%s cannot be run: %s", path,
                    strerror(errno));
    /* Another xenopctl was faster. */
    if ( status == STATUS_BUSY && client_daemon_runs() )
        return 0;
    failure->status = status;
    return status;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds and runs xenoprofd and xenopreport. */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "client.h"
#include "control/session-folders.h"
#include "launch.h"

extern char **environ;

static bool find_in(const char *folder, const char *name, char *path)
{
    int length = snprintf(path, PATH_MAX, "%s/%s", folder, name);

    return length > 0 && length < PATH_MAX && access(path, X_OK) == 0;
}

static bool find_beside_us(const char *name, char *path)
{
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    char *end;

    if ( length <= 0 )
        return false;
    self[length] = '\0';
    end = strrchr(self, '/');
    if ( !end )
        return false;
    *end = '\0';
    return find_in(self, name, path);
}

/* Writes the program's path, PATH_MAX bytes at most: what the environment's
 * variable says, else beside this program, else in folder. */
static bool find_program(const char *name, const char *variable,
                         const char *folder, char *path)
{
    const char *given = getenv(variable);

    if ( given && *given )
        return snprintf(path, PATH_MAX, "%s", given) < PATH_MAX;
    return find_beside_us(name, path) || find_in(folder, name, path);
}

/* Sets *status to the exit status of the program, which has printed why if it
 * is not 0.  Returns 0, or STATUS_NO_DAEMON if there is no exit status. */
static int run_and_wait(const char *path, char *const argv[], int *status,
                        struct failure *failure)
{
    pid_t pid;
    int ended;

    errno = posix_spawn(&pid, path, NULL, NULL, argv, environ);
    while ( !errno && waitpid(pid, &ended, 0) < 0 )
        if ( errno == EINTR )
            errno = 0;
    if ( errno )
        return fail(failure, STATUS_NO_DAEMON, "%s cannot be run: %s", path,
                    strerror(errno));
    if ( !WIFEXITED(ended) )
        return fail(failure, STATUS_NO_DAEMON,
                    "%s was ended by signal %d as it started; the system log "
                    "may say why",
                    path, WTERMSIG(ended));
    *status = WEXITSTATUS(ended);
    return 0;
}

int launch_daemon(const char *session_dir, struct failure *failure)
{
    char path[PATH_MAX], dir[PATH_MAX + sizeof("--session-dir=")];
    char *argv[] = {path, dir, NULL};
    int status = 0;

    if ( client_daemon_runs() )
        return 0;
    snprintf(dir, sizeof(dir), "--session-dir=%s", session_dir);
    if ( !find_program("xenoprofd", "XENOPROFD", SBINDIR, path) )
        return fail(failure, STATUS_NO_DAEMON,
                    "xenoprofd is neither beside xenopctl nor in %s; install "
                    "it, or set XENOPROFD to its path",
                    SBINDIR);
    if ( run_and_wait(path, argv, &status, failure) )
        return failure->status;
    /* Another xenopctl was faster. */
    if ( status == STATUS_BUSY && client_daemon_runs() )
        return 0;
    failure->status = status;
    return status;
}

int launch_report(const char *session_dir, struct failure *failure)
{
    char path[PATH_MAX];
    char *session;

    if ( !find_program("xenopreport", "XENOPREPORT", BINDIR, path) )
        return fail(failure, STATUS_FAILED,
                    "the session is recorded, but xenopreport is neither "
                    "beside xenopctl nor in %s",
                    BINDIR);
    if ( asprintf(&session, "--session=%s/%s", session_dir, SESSION_CURRENT) <
         0 )
        return fail_memory(failure);
    fflush(NULL);
    execl(path, "xenopreport", session, (char *)NULL);
    free(session);
    return fail(failure, STATUS_FAILED, "%s cannot be run: %s", path,
                strerror(errno));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds and runs xenoprofd and xenopreport. */
#include <errno.h>
#include <limits.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <xenoprof/agent.h>

#include "base/own-folder.h"
#include "base/scope.h"
#include "client.h"
#include "control/session-folders.h"
#include "launch.h"

extern char **environ;

/* How often a daemon is started while another one ends: 2 s in all. */
#define TRIES    20u
#define PAUSE_NS 100000000

#define SELF "/proc/self/exe"

/* How systemctl(1) ends if there is none. */
#define NO_SUCH_UNIT 5

/* Writes the program's path, PATH_MAX bytes at most: what the environment's
 * variable says, else where it was installed with this one, also if all was
 * moved since, else in folder. */
static bool find_program(const char *name, const char *variable,
                         const char *folder, char *path)
{
    const char *given = getenv(variable);
    char in_bin[64];

    if ( given && *given )
        return snprintf(path, PATH_MAX, "%s", given) < PATH_MAX;
    snprintf(in_bin, sizeof(in_bin), "../bin/%s", name);
    return own_file_beside(SELF, name, path, PATH_MAX) ||
           own_file_beside(SELF, in_bin, path, PATH_MAX) ||
           (snprintf(path, PATH_MAX, "%s/%s", folder, name) < PATH_MAX &&
            access(path, X_OK) == 0);
}

/* Starts a program whose messages go to a file. */
static int start(const char *path, char *const argv[], int messages, pid_t *pid)
{
    posix_spawn_file_actions_t actions;
    int error = posix_spawn_file_actions_init(&actions);

    if ( error )
        return error;
    error = posix_spawn_file_actions_adddup2(&actions, messages, STDERR_FILENO);
    if ( !error )
        error = posix_spawn(pid, path, &actions, NULL, argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Sets *status to the exit status of the program.  Returns 0, or
 * STATUS_NO_DAEMON if there is no exit status. */
static int run_and_wait(const char *path, char *const argv[], int messages,
                        int *status, struct failure *failure)
{
    pid_t pid;
    int ended;

    errno = start(path, argv, messages, &pid);
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

/* Returns true when it is settled how the start ends.  What a daemon says that
 * found another's lock is of interest only the last time. */
static bool start_once(const char *path, char *const argv[], bool last,
                       struct failure *failure)
{
    int messages SCOPE_CLOSE = memfd_create("messages", MFD_CLOEXEC);
    int status = 0;
    bool settled;
    char text[1024];
    off_t at = 0;
    ssize_t got;

    if ( messages < 0 )
        return fail(failure, STATUS_NO_DAEMON, "%s cannot be run: %s", path,
                    strerror(errno));
    settled = run_and_wait(path, argv, messages, &status, failure) ||
              status != STATUS_BUSY;
    if ( !settled && client_daemon_runs() )
        return true; /* another xenopctl was faster */
    if ( !settled && !last )
        return false;
    while ( (got = pread(messages, text, sizeof(text), at)) > 0 )
    {
        fwrite(text, 1, (size_t)got, stderr);
        at += got;
    }
    if ( status )
        failure->status = status;
    return true;
}

int launch_daemon(const char *session_dir, struct failure *failure)
{
    char path[PATH_MAX], dir[PATH_MAX + sizeof("--session-dir=")];
    char *argv[] = {path, dir, NULL};

    if ( client_daemon_runs() )
        return 0;
    snprintf(dir, sizeof(dir), "--session-dir=%s", session_dir);
    if ( !find_program("xenoprofd", "XENOPROFD", SBINDIR, path) )
        return fail(failure, STATUS_NO_DAEMON,
                    "xenoprofd is neither beside xenopctl, in folders that "
                    "others cannot change, nor in %s; install it, or set "
                    "XENOPROFD to its path",
                    SBINDIR);
    /* A daemon that is about to end does not listen, and has its lock until its
     * memory is gone.  Nothing says when that is. */
    for ( unsigned int left = TRIES;
          !start_once(path, argv, left <= 1, failure); left-- )
        nanosleep(&(struct timespec){.tv_nsec = PAUSE_NS}, NULL);
    return failure->status;
}

/* Whose unit it is or whether it has one does not matter. */
static bool agent_answers(void)
{
    const char *path = getenv(
        "XENOPROF_AGENT"); /* for tests, as guest-agent.c */
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd SCOPE_CLOSE = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);

    snprintf(address.sun_path, sizeof(address.sun_path), "%s",
             path ? path : AGENT_SOCKET);
    return fd >= 0 &&
           !connect(fd, (const struct sockaddr *)&address, sizeof(address));
}

/* Returns the program that starts units, or NULL where systemd does not run. */
static const char *find_systemctl(void)
{
    const char *given = getenv("XENOPROF_SYSTEMCTL"); /* for tests */

    if ( given )
        return given;
    return !access("/run/systemd/system", F_OK) &&
                   !access("/bin/systemctl", X_OK)
               ? "/bin/systemctl"
               : NULL;
}

void launch_agent(FILE *file)
{
    char *argv[] = {"systemctl", "start", "opagent.service", NULL};
    const char *path = agent_answers() ? NULL : find_systemctl();
    int messages SCOPE_CLOSE = path ? memfd_create("messages", MFD_CLOEXEC)
                                    : -1;
    struct failure failure = {0};
    int status = 0;

    if ( messages < 0 ||
         (!run_and_wait(path, argv, messages, &status, &failure) &&
          status == NO_SUCH_UNIT) )
        return;
    if ( status || failure.status )
        fputs("opagent cannot be started, and samples of dom0's processes have "
              "addresses: see systemctl status opagent\n",
              file);
    else
        fputs("opagent is started, for names of dom0's processes "
              "(--no-agent leaves it)\n",
              file);
}

int launch_report(const char *session_dir, struct failure *failure)
{
    char path[PATH_MAX];
    char *session;

    if ( !find_program("xenopreport", "XENOPREPORT", BINDIR, path) )
        return fail(failure, STATUS_FAILED,
                    "the session is recorded, but xenopreport is neither "
                    "beside xenopctl, in folders that others cannot change, "
                    "nor in %s",
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

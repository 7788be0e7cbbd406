/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What xenoprof-push may not do, and what it must be able to. */
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "push/push-rights.h"
#include "tests/harness.h"

/* Not declared noreturn: see test-parser-sandbox.c. */
static void leave(int status)
{
    syscall(SYS_exit_group, status);
}

/* How a process ends that does this behind the filter, as another user if this
 * is root. */
static int ends(void (*act)(void))
{
    const struct identity nobody = {65534, 65534};
    struct failure failure = {0};
    int status;
    pid_t pid = fork();

    if ( pid == 0 )
    {
        bool root = geteuid() == 0;

        if ( push_rights_drop(&nobody, &failure) ||
             push_rights_filter(root ? &nobody : NULL, &failure) )
            leave(99);
        act();
        leave(0);
    }
    CHECK(pid > 0);
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void run_a_program(void)
{
    char *const none[] = {NULL};

    execve("/bin/true", none, none);
}

static void make_a_process(void)
{
    if ( syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0) == 0 )
        leave(7);
}

static void map_code(void)
{
    mmap(NULL, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void trace_somebody(void)
{
    syscall(SYS_ptrace, 0, 0, 0, 0);
}

static void become_root(void)
{
    syscall(SYS_setresuid, 0, 0, 0);
}

static void open_raw_packets(void)
{
    socket(AF_PACKET, SOCK_RAW, 0);
}

static void hear_others(void)
{
    int fd = socket(AF_INET, SOCK_STREAM, 0);

    listen(fd, 1);
}

static void send_a_signal(void)
{
    syscall(SYS_kill, getppid(), SIGURG);
}

static void send_a_signal_to_a_thread(void)
{
    syscall(SYS_tgkill, getppid(), getppid(), SIGURG);
}

TEST(what_push_may_not_do)
{
    void (*const acts[])(void) = {
        run_a_program,  make_a_process, map_code,
        trace_somebody, become_root,    open_raw_packets,
        hear_others,    send_a_signal,  send_a_signal_to_a_thread,
    };

    for ( size_t i = 0; i < sizeof(acts) / sizeof(*acts); i++ )
        if ( ends(acts[i]) != -SIGSYS )
            test_fail(__FILE__, __LINE__, "act %zu ends with %d", i,
                      ends(acts[i]));
}

/* xenoprofd's socket answers its own user, and would do what it is told. */
static void ask_the_daemon(void)
{
    if ( socket(AF_UNIX, SOCK_STREAM, 0) >= 0 || errno != EAFNOSUPPORT )
        leave(1);
}

TEST(push_reaches_no_socket_of_this_host)
{
    CHECK_EQ(ends(ask_the_daemon), 0);
}

static void *look_up(void *found)
{
    struct addrinfo *list = NULL;

    if ( !getaddrinfo("127.0.0.1", "80", NULL, &list) )
        *(bool *)found = true;
    freeaddrinfo(list);
    return NULL;
}

/* As libcurl does. */
static void look_up_in_a_thread(void)
{
    bool found = false;
    pthread_t thread;

    if ( pthread_create(&thread, NULL, look_up, &found) ||
         pthread_join(thread, NULL) || !found )
        leave(1);
}

TEST(push_looks_up_names)
{
    CHECK_EQ(ends(look_up_in_a_thread), 0);
}

static void be_root(void)
{
    if ( geteuid() == 0 || open("/etc/shadow", O_RDONLY) >= 0 )
        leave(1);
}

TEST(push_is_nobody_special)
{
    if ( geteuid() )
        test_skip("this is not root, who could be special");
    CHECK_EQ(ends(be_root), 0);
}

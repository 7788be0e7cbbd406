/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the keeper, and a process on its way into its sandbox, may do: also as
 * another libc than ours does it. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cage/keeper-process.h"
#include "tests/harness.h"

/* Not declared noreturn: see test-parser-sandbox.c. */
static void leave(int status)
{
    syscall(SYS_exit_group, status);
}

/* How a process ends that does this behind the filter. */
static int ends(void (*act)(void))
{
    int status;
    pid_t pid = fork();

    if ( pid == 0 )
    {
        if ( prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || keeper_filter() )
            leave(99);
        act();
        leave(0);
    }
    CHECK(pid > 0);
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

/* The child of a fork, of whatever sort, ends with 7. */
static void wait_for_7(long pid)
{
    int status = 0;

    if ( pid == 0 )
        leave(7);
    if ( pid < 0 || syscall(SYS_wait4, pid, &status, 0, NULL) != pid ||
         !WIFEXITED(status) || WEXITSTATUS(status) != 7 )
        leave(1);
}

static void fork_as_our_libc(void)
{
    wait_for_7(fork());
}

static void fork_as_musl(void)
{
    wait_for_7(syscall(SYS_fork));
}

static void fork_as_a_later_libc(void)
{
    if ( syscall(SYS_clone3, NULL, 0) != -1 || errno != ENOSYS )
        leave(1);
    wait_for_7(syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
}

static void read_from(long fd)
{
    char first[4], second[64];
    struct iovec parts[] = {{first, sizeof(first)}, {second, sizeof(second)}};

    if ( fd < 0 || syscall(SYS_readv, fd, parts, 2) <= 0 ||
         syscall(SYS_lseek, fd, 0, SEEK_SET) != 0 )
        leave(1);
    syscall(SYS_close, fd);
}

static void read_as_our_libc(void)
{
    read_from(syscall(SYS_openat, AT_FDCWD, "/proc/self/statm",
                      O_RDONLY | O_CLOEXEC, 0));
}

static void read_as_musl(void)
{
    read_from(syscall(SYS_open, "/proc/self/statm", O_RDONLY | O_CLOEXEC, 0));
}

static void write_file(void)
{
    syscall(SYS_openat, AT_FDCWD, "/dev/null", O_WRONLY, 0);
}

static void change_file(void)
{
    syscall(SYS_open, "/dev/null", O_RDWR, 0);
}

static void make_file(void)
{
    syscall(SYS_openat, AT_FDCWD, "/dev/null/none", O_RDONLY | O_CREAT, 0600);
}

static void empty_file(void)
{
    syscall(SYS_open, "/dev/null", O_RDONLY | O_TRUNC, 0);
}

static void make_thread(void)
{
    syscall(SYS_clone, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, 0, 0, 0, 0);
}

static void make_user(void)
{
    syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, 0, 0, 0, 0);
}

static void run_program(void)
{
    syscall(SYS_execve, "/nowhere/at/all", NULL, NULL);
}

static void make_socket(void)
{
    syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
}

static void trace(void)
{
    syscall(SYS_ptrace, 0, 0, 0, 0);
}

static void ask_device(void)
{
    syscall(SYS_ioctl, 0, 0, 0);
}

static void map_code(void)
{
    syscall(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void call_x32(void)
{
    syscall(0x40000000 + 39);
}

struct named_act {
    const char *name;
    void (*act)(void);
};

static void check_all(const struct named_act *acts, size_t count, int wanted)
{
    for ( size_t i = 0; i < count; i++ )
    {
        int end = ends(acts[i].act);

        if ( end != wanted )
            test_fail(__FILE__, __LINE__, "%s ended with %d, wanted %d",
                      acts[i].name, end, wanted);
    }
}

TEST(keeper_filter_knows_more_than_one_libc)
{
    static const struct named_act acts[] = {
        {"fork of ours", fork_as_our_libc},
        {"fork of musl", fork_as_musl},
        {"fork after clone3", fork_as_a_later_libc},
        {"reading as ours", read_as_our_libc},
        {"reading as musl", read_as_musl},
    };

    check_all(acts, sizeof(acts) / sizeof(acts[0]), 0);
}

TEST(keeper_filter_kills)
{
    static const struct named_act acts[] = {
        {"writing a file", write_file},
        {"changing a file", change_file},
        {"making a file", make_file},
        {"emptying a file", empty_file},
        {"a thread", make_thread},
        {"a name space", make_user},
        {"execve", run_program},
        {"socket", make_socket},
        {"ptrace", trace},
        {"ioctl", ask_device},
        {"mmap of code", map_code},
        {"getpid of x32", call_x32},
    };

    check_all(acts, sizeof(acts) / sizeof(acts[0]), -SIGSYS);
}

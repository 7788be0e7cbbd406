/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/session-folders.h"
#include "daemon/disk.h"
#include "cage/privileges.h"
#include "libxenoprof.h"
#include "tests/harness.h"

static struct failure failure;
static const struct identity nobody = {.uid = 65534, .gid = 65534};

static const char small[] = "Name:\txenoprofd\n"
                            "Uid:\t65534\t65534\t65534\t65534\n"
                            "Gid:\t65534\t65534\t65534\t65534\n"
                            "Groups:\t    \n"
                            "CapInh:\t0000000000000000\n"
                            "CapPrm:\t0000000000000000\n"
                            "CapEff:\t0000000000000000\n"
                            "CapBnd:\t0000000000000000\n"
                            "CapAmb:\t0000000000000000\n"
                            "NoNewPrivs:\t1\n"
                            "Seccomp:\t2\n"
                            "Seccomp_filters:\t1\n";

/* The status file with one text replaced by another of the same length. */
static int check(const char *old, const char *fresh)
{
    char path[] = "/tmp/xenoprof-test-XXXXXX", text[sizeof(small)];
    int fd = mkstemp(path), status;
    char *at;

    strcpy(text, small);
    at = strstr(text, old);
    CHECK(at && strlen(old) == strlen(fresh));
    memcpy(at, fresh, strlen(fresh));
    CHECK_EQ(write(fd, text, strlen(text)), (long)strlen(text));
    close(fd);
    status = privileges_check(path, &nobody, &failure);
    unlink(path);
    return status;
}

TEST(privileges_that_are_gone)
{
    CHECK_EQ(check("xenoprofd", "xenoprofd"), 0);
}

TEST(privileges_that_are_not)
{
    static const struct {
        const char *old, *fresh;
    } cases[] = {
        {"Uid:\t65534", "Uid:\t00000"},
        {"Gid:\t65534", "Gid:\t00000"},
        {"Uid:\t65534\t65534", "Uid:\t65534\t00000"},
        {"Uid:\t65534\t65534\t65534", "Uid:\t65534\t65534\t00000"},
        {"65534\nGid", "00000\nGid"},
        {"Gid:\t65534\t65534", "Gid:\t65534\t00000"},
        {"Gid:\t65534\t65534\t65534", "Gid:\t65534\t65534\t00000"},
        {"65534\nGroups", "00000\nGroups"},
        {"65534\t65534\nGid", "65534      \nGid"},
        {"Groups:\t    ", "Groups:\t4 27"},
        {"Groups:\t    ", "Groups:\t0   "},
        {"Groups", "groups"},
        {"CapInh:\t0000000000000000", "CapInh:\t0000000000000001"},
        {"CapPrm:\t0000000000000000", "CapPrm:\t0000000000200000"},
        {"CapEff:\t0000000000000000", "CapEff:\t000001ffffffffff"},
        {"CapBnd:\t0000000000000000", "CapBnd:\t000001ffffffffff"},
        {"CapAmb:\t0000000000000000", "CapAmb:\t0000000000000001"},
        {"NoNewPrivs:\t1", "NoNewPrivs:\t0"},
        {"Seccomp:\t2", "Seccomp:\t0"},
        {"Seccomp:\t2", "Seccomp_\t2"},
    };

    for ( size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++ )
        if ( check(cases[i].old, cases[i].fresh) != STATUS_FAILED )
            test_fail(__FILE__, __LINE__, "'%s' was not seen", cases[i].fresh);
}

TEST(privileges_user_that_is_missing)
{
    struct identity identity;

    CHECK_EQ(identity_find("no-such-user-here", &identity, &failure),
             STATUS_NO_USER);
    CHECK(strstr(failure.text, "useradd"));
    CHECK_EQ(identity_find("root", &identity, &failure), 0);
    CHECK_EQ(identity.uid, 0);
}

TEST(privileges_no_memory_is_dumped)
{
    int status;
    pid_t pid = fork();

    if ( pid == 0 )
    {
        struct rlimit limit = {1, 1};

        if ( privileges_forbid_dumps(&failure) ||
             getrlimit(RLIMIT_CORE, &limit) )
            _exit(99);
        _exit(limit.rlim_cur || limit.rlim_max || prctl(PR_GET_DUMPABLE));
    }
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
}

/* Returns how a process ends that does this under the filter. */
static int ends(void (*act)(void))
{
    int status;
    pid_t pid = fork();

    if ( pid == 0 )
    {
        if ( privileges_drop(&nobody, &failure) || privileges_filter(&failure) )
            syscall(SYS_exit_group, 99);
        act();
        syscall(SYS_exit_group, 0);
    }
    CHECK(pid > 0);
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    return WIFSIGNALED(status) ? -WTERMSIG(status) : WEXITSTATUS(status);
}

static void need_root(void)
{
    if ( geteuid() != 0 )
        test_skip("only root can give privileges away");
}

static void verify(void)
{
    if ( privileges_verify(&nobody, &failure) )
        syscall(SYS_exit_group, 98);
}

static void make_socket(void)
{
    syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
}

/* One that ran would end at the same filter by what it does first. */
static void run_program(void)
{
    syscall(SYS_execve, "/nowhere/at/all", NULL, NULL);
}

static void make_process(void)
{
    syscall(SYS_fork);
}

static void map_code(void)
{
    syscall(SYS_mmap, 0, 4096, PROT_READ | PROT_EXEC,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void trace(void)
{
    syscall(SYS_ptrace, 0, 0, 0, 0);
}

static void ask_terminal(void)
{
    syscall(SYS_ioctl, 0, 0x5412 /* TIOCSTI */, "x");
}

static void work(void)
{
    int fd = (int)syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);

    syscall(SYS_write, fd, "x", 1);
    syscall(SYS_fdatasync, fd);
    syscall(SYS_mmap, 0, 4096, PROT_READ | PROT_WRITE,
            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static char sessions[64], session[80];

static void end_if(bool bad, int status)
{
    if ( bad )
        syscall(SYS_exit_group, status);
}

/* A session in a folder two levels down that is not there yet, in whose first
 * file a block is torn, and that is taken up again. */
static void keep_session(void)
{
    struct xenoprof_handle *handle = xenoprof_open();
    struct xenoprof_writer *writer;
    char file[128];
    int data;

    end_if(session_dir_prepare(sessions, &failure), 1);
    end_if(disk_check(sessions, &failure) == STATUS_FAILED, 8);
    end_if(xenoprof_writer_create(handle, session, &writer), 2);
    end_if(xenoprof_writer_attribute(writer, 1, "key", "value"), 3);
    end_if(xenoprof_writer_flush(writer), 4);
    xenoprof_writer_destroy(writer);
    snprintf(file, sizeof(file), "%s/DATA.0000", session);
    data = open(file, O_WRONLY | O_APPEND);
    end_if(write(data, "torn", 4) != 4, 5);
    close(data);
    end_if(xenoprof_writer_reopen(handle, session, &writer), 6);
    xenoprof_writer_destroy(writer);
    end_if(session_delete(sessions, "current", &failure), 7);
}

TEST(privileges_filter_lets_sessions_be_kept)
{
    char top[] = "/tmp/xenoprof-test-XXXXXX", middle[64];

    need_root();
    CHECK(mkdtemp(top));
    CHECK(!chown(top, nobody.uid, nobody.gid));
    snprintf(middle, sizeof(middle), "%s/a", top);
    snprintf(sessions, sizeof(sessions), "%s/a/b", top);
    snprintf(session, sizeof(session), "%s/current", sessions);
    CHECK_EQ(ends(keep_session), 0);
    CHECK(!rmdir(sessions));
    CHECK(!rmdir(middle));
    CHECK(!rmdir(top));
}

TEST(privileges_dropped_and_seen)
{
    need_root();
    CHECK_EQ(ends(verify), 0);
}

TEST(privileges_filter_lets_the_daemon_work)
{
    need_root();
    CHECK_EQ(ends(work), 0);
}

/* getpid() of x32, once the filter is set. */
static void *call_x32(void *pipe)
{
    char byte;

    syscall(SYS_read, *(const int *)pipe, &byte, 1);
    syscall(0x40000000 + 39);
    return NULL;
}

/* Not ends(): the filter allows no thread to be made. */
TEST(privileges_filter_kills_all_threads_for_another_architecture)
{
    int ends[2], status;
    pid_t pid;

    need_root();
    CHECK_EQ(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    pid = fork();
    if ( pid == 0 )
    {
        char byte = 'x';
        pthread_t thread;

        if ( pthread_create(&thread, NULL, call_x32, &ends[0]) ||
             privileges_drop(&nobody, &failure) ||
             privileges_filter(&failure) ||
             syscall(SYS_write, ends[1], &byte, 1) != 1 )
            syscall(SYS_exit_group, 99);
        pthread_join(thread, NULL);
        syscall(SYS_exit_group, 0);
    }
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    close(ends[0]);
    close(ends[1]);
    CHECK(WIFSIGNALED(status));
    CHECK_EQ(WTERMSIG(status), SIGSYS);
}

TEST(privileges_filter_kills)
{
    need_root();
    CHECK_EQ(ends(make_socket), -SIGSYS);
    CHECK_EQ(ends(run_program), -SIGSYS);
    CHECK_EQ(ends(make_process), -SIGSYS);
    CHECK_EQ(ends(map_code), -SIGSYS);
    CHECK_EQ(ends(trace), -SIGSYS);
    CHECK_EQ(ends(ask_terminal), -SIGSYS);
}

static rlim_t locking(uint64_t bytes)
{
    struct rlimit limit;

    privileges_allow_locking(bytes);
    CHECK_EQ(getrlimit(RLIMIT_MEMLOCK, &limit), 0);
    return limit.rlim_cur;
}

/* As much as this process may allow itself, and never less than there was. */
static int allow_locking(void)
{
    const struct rlimit low = {4096, 1 << 20};

    return setrlimit(RLIMIT_MEMLOCK, &low) || locking(65536) != 65536 ||
           locking(4096) != 65536 || locking(1 << 24) < 1 << 20;
}

TEST(privileges_that_allow_locking)
{
    pid_t pid = fork();
    int status;

    if ( pid == 0 )
        _exit(allow_locking());
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
}

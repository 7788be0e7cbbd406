/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the porter may not do, and what a relay may not do any more once it is
 * connected. */
#include <fcntl.h>
#include <linux/landlock.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <xen/xen.h>

#include <xen/sys/evtchn.h>
#include <xen/sys/gntdev.h>

#include "daemon/relay/relay-rights.h"
#include "tests/harness.h"

static pid_t tester;

/* Behind the filter of that role.  Returns the signal that ends who does this,
 * 0 if none does. */
static int ends(enum cage_role role, long (*act)(void))
{
    int status;
    pid_t pid = fork();

    if ( !pid )
    {
        if ( prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || filter_set(role, -1) )
            syscall(SYS_exit_group, 99);
        act();
        syscall(SYS_exit_group, 0);
    }
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
}

/* One that ran would end at the same filter by what it does first. */
static long start_a_program(void)
{
    return syscall(SYS_execve, "/nowhere/at/all", NULL, NULL);
}

static long use_the_network(void)
{
    return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
}

static long map_code(void)
{
    return syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC,
                   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static long make_code(void)
{
    return syscall(SYS_mprotect, NULL, 4096, PROT_EXEC);
}

static long trace(void)
{
    return syscall(SYS_ptrace, PTRACE_TRACEME, 0, NULL, NULL);
}

static long make_a_thread(void)
{
    return syscall(SYS_clone, CLONE_VM | CLONE_THREAD | CLONE_SIGHAND, 0, 0, 0,
                   0);
}

static long delete_a_file(void)
{
    return syscall(SYS_unlink, "/nowhere/nothing");
}

static long open_a_file(void)
{
    return syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDONLY, 0);
}

static long open_a_file_below(void)
{
    const struct open_how how = {.flags = O_RDONLY};

    return syscall(SYS_openat2, AT_FDCWD, "/dev/null", &how, sizeof(how));
}

static long make_a_socket(void)
{
    return syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
}

static long make_a_process(void)
{
    return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
}

static long signal_a_process(void)
{
    return syscall(SYS_kill, tester, 0);
}

static long bind_a_channel(void)
{
    struct ioctl_evtchn_bind_interdomain bind = {0};

    return syscall(SYS_ioctl, 0, IOCTL_EVTCHN_BIND_INTERDOMAIN, &bind);
}

static long map_a_grant(void)
{
    struct ioctl_gntdev_map_grant_ref map = {0};

    return syscall(SYS_ioctl, 0, IOCTL_GNTDEV_MAP_GRANT_REF, &map);
}

static long notify(void)
{
    struct ioctl_evtchn_notify event = {0};

    return syscall(SYS_ioctl, 0, IOCTL_EVTCHN_NOTIFY, &event);
}

static long unmap(void)
{
    struct ioctl_gntdev_unmap_grant_ref map = {0};

    return syscall(SYS_ioctl, 0, IOCTL_GNTDEV_UNMAP_GRANT_REF, &map);
}

TEST(what_none_may_do)
{
    long (*const acts[])(void) = {
        start_a_program, use_the_network, map_code,     make_code,
        trace,           make_a_thread,   delete_a_file};

    for ( size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++ )
    {
        CHECK_EQ(ends(CAGE_PORTER, acts[i]), SIGSYS);
        CHECK_EQ(ends(CAGE_RELAY, acts[i]), SIGSYS);
        CHECK_EQ(ends(CAGE_ROOT, acts[i]), SIGSYS);
    }
}

TEST(what_a_relay_may_not_do)
{
    long (*const acts[])(void) = {open_a_file,
                                  open_a_file_below,
                                  make_a_socket,
                                  make_a_process,
                                  signal_a_process,
                                  bind_a_channel,
                                  map_a_grant,
                                  notify,
                                  unmap};

    tester = getpid();
    for ( size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++ )
    {
        CHECK_EQ(ends(CAGE_RELAY, acts[i]), SIGSYS);
        CHECK_EQ(ends(CAGE_PORTER, acts[i]), 0);
    }
}

static long leave_the_root(void)
{
    return syscall(SYS_chroot, "/");
}

static long write_to_a_file(void)
{
    return syscall(SYS_openat, AT_FDCWD, "/tmp/nothing/at/all", O_WRONLY, 0);
}

static long make_a_file(void)
{
    return syscall(SYS_openat, AT_FDCWD, "/tmp/nothing/at/all",
                   O_RDONLY | O_CREAT, 0600);
}

static long cut_a_file(void)
{
    return syscall(SYS_openat, AT_FDCWD, "/tmp/nothing/at/all",
                   O_RDONLY | O_TRUNC, 0);
}

static long make_a_nameless_file(void)
{
    return syscall(SYS_openat, AT_FDCWD, "/tmp", O_RDWR | O_TMPFILE, 0600);
}

static long open_to_append(void)
{
    return syscall(SYS_open, "/tmp/nothing/at/all", O_RDWR | O_APPEND, 0);
}

static long write_bytes(void)
{
    return syscall(SYS_write, -1, "x", 1);
}

static long read_a_packet_with_files(void)
{
    return syscall(SYS_recvmsg, -1, NULL, 0);
}

TEST(what_a_reader_may_not_do)
{
    long (*const acts[])(void) = {leave_the_root,  make_a_socket,
                                  make_a_process,  signal_a_process,
                                  bind_a_channel,  map_a_grant,
                                  notify,          unmap,
                                  write_to_a_file, make_a_file,
                                  cut_a_file,      make_a_nameless_file,
                                  open_to_append,  read_a_packet_with_files,
                                  write_bytes};

    tester = getpid();
    for ( size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++ )
        CHECK_EQ(ends(CAGE_ROOT, acts[i]), SIGSYS);
    CHECK_EQ(ends(CAGE_ROOT, open_a_file), 0);
}

TEST(a_porter_opens_no_file_to_write)
{
    long (*const acts[])(void) = {write_to_a_file, make_a_file, cut_a_file,
                                  make_a_nameless_file, open_to_append};

    for ( size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++ )
        CHECK_EQ(ends(CAGE_PORTER, acts[i]), SIGSYS);
    CHECK_EQ(ends(CAGE_PORTER, open_a_file), 0);
}

/* What its filter cannot see: flags in memory, and a file that is none of the
 * devices.  Returns which of these did what it must not, a bit for each. */
static long write_in_other_ways(const char *file, const char *new)
{
    const struct open_how makes = {.flags = O_RDWR | O_CREAT, .mode = 0600},
                          cuts = {.flags = O_RDONLY | O_TRUNC};
    const bool landlock = syscall(SYS_landlock_create_ruleset, NULL, 0,
                                  LANDLOCK_CREATE_RULESET_VERSION) >= 3;
    long fd, done = 0;
    int before = open(file, O_RDWR); /* which Landlock leaves to it */

    if ( before < 0 || relay_rights_keep() )
        return 128;
    fd = syscall(SYS_openat2, AT_FDCWD, new, &makes, sizeof(makes));
    done |= (landlock && fd >= 0) << 1 | (fd >= 0 && write(fd, "x", 1) > 0)
                                             << 2;
    fd = syscall(SYS_openat2, AT_FDCWD, file, &cuts, sizeof(cuts));
    done |= (landlock && fd >= 0) << 3;
    fd = open(file, O_RDWR);
    done |= (landlock && fd >= 0) << 4 | (fd >= 0 && write(fd, "x", 1) > 0)
                                             << 5;
    done |= (write(before, "x", 1) > 0) << 5;
    return done | (open("/dev/null", O_RDONLY) < 0) << 6;
}

TEST(a_porter_writes_no_file)
{
    char folder[] = "/tmp/xenoprof-rights-XXXXXX", file[64], new[64];
    struct stat status;
    int ended;
    pid_t pid;

    if ( geteuid() )
        test_skip("only root can give privileges away");
    CHECK(mkdtemp(folder));
    snprintf(file, sizeof(file), "%s/file", folder);
    snprintf(new, sizeof(new), "%s/new", folder);
    CHECK(close(open(file, O_WRONLY | O_CREAT, 0600)) == 0);
    CHECK(truncate(file, 7) == 0);
    pid = fork();
    if ( !pid )
    {
        signal(SIGXFSZ, SIG_IGN);
        syscall(SYS_exit_group, write_in_other_ways(file, new));
    }
    CHECK_EQ(waitpid(pid, &ended, 0), pid);
    CHECK_EQ(ended, 0);
    CHECK(stat(file, &status) == 0 && status.st_size == 7);
    unlink(new);
    unlink(file);
    rmdir(folder);
}

static void wait_as(const struct identity *identity, int ready, int waits)
{
    char byte = 0;

    relay_rights_user(identity);
    if ( relay_rights_keep() || relay_rights_drop(CAGE_RELAY) ||
         write(ready, &byte, 1) != 1 || read(waits, &byte, 1) < 0 )
        syscall(SYS_exit_group, 99);
    syscall(SYS_exit_group, 0);
}

/* Who is connected has nothing left of root: only root can show that. */
TEST(what_a_relay_becomes)
{
    const struct identity nobody = {65534, 65534};
    struct failure failure = {0};
    int ready[2], waits[2], status;
    char byte, path[64];
    pid_t pid;

    if ( geteuid() )
        test_skip("only root can give privileges away");
    CHECK(!pipe(ready) && !pipe(waits));
    pid = fork();
    if ( !pid )
    {
        close(waits[1]);
        wait_as(&nobody, ready[1], waits[0]);
    }
    close(ready[1]);
    close(waits[0]);
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    snprintf(path, sizeof(path), "/proc/%d/status", pid);
    CHECK_EQ(privileges_check(path, &nobody, &failure), 0);
    close(waits[1]);
    close(ready[0]);
    CHECK_EQ(waitpid(pid, &status, 0), pid);
    CHECK_EQ(status, 0);
}

/* Returns the exit status of a porter that ends that relay. */
static int end_as_porter(pid_t relay)
{
    int status;
    pid_t porter = fork();

    if ( !porter )
        syscall(SYS_exit_group,
                relay_rights_keep() || syscall(SYS_kill, relay, SIGKILL));
    CHECK_EQ(waitpid(porter, &status, 0), porter);
    return status;
}

TEST(a_porter_ends_who_has_become_another)
{
    const struct identity nobody = {65534, 65534};
    int ready[2], status;
    char byte = 0;
    pid_t relay;

    if ( geteuid() )
        test_skip("only root can give privileges away");
    CHECK(!pipe(ready));
    relay = fork();
    if ( !relay )
    {
        if ( !privileges_become(&nobody) && write(ready[1], &byte, 1) == 1 )
            pause();
        syscall(SYS_exit_group, 99);
    }
    close(ready[1]);
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    CHECK_EQ(end_as_porter(relay), 0);
    CHECK_EQ(waitpid(relay, &status, 0), relay);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

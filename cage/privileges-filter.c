/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The system calls that the daemon needs once its devices are open.  Nothing
 * here starts a program, makes a thread or maps code.
 */
#include <errno.h>
#include <seccomp.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "privileges.h"

static const int allowed_to_daemon[] = {
    /* files of sessions and symbols */
    SCMP_SYS(openat),
    SCMP_SYS(open),
    SCMP_SYS(openat2), /* guest roots, to pass them on */
    SCMP_SYS(close),
    SCMP_SYS(read),
    SCMP_SYS(readv),
    SCMP_SYS(pread64),
    SCMP_SYS(write),
    SCMP_SYS(writev),
    SCMP_SYS(pwrite64),
    SCMP_SYS(lseek),
    SCMP_SYS(fstat),
    SCMP_SYS(stat),
    SCMP_SYS(lstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(statx),
    SCMP_SYS(access),
    SCMP_SYS(faccessat),
    SCMP_SYS(faccessat2),
    SCMP_SYS(getdents64),
    SCMP_SYS(readlink),
    SCMP_SYS(readlinkat),
    SCMP_SYS(fcntl),
    SCMP_SYS(dup2),
    SCMP_SYS(dup3),
    SCMP_SYS(flock),
    SCMP_SYS(statfs),
    SCMP_SYS(ftruncate),
    SCMP_SYS(fallocate),
    SCMP_SYS(fsync),
    SCMP_SYS(fdatasync),
    SCMP_SYS(mkdir),
    SCMP_SYS(mkdirat),
    SCMP_SYS(rename),
    SCMP_SYS(renameat),
    SCMP_SYS(renameat2),
    SCMP_SYS(link),
    SCMP_SYS(linkat),
    SCMP_SYS(unlink),
    SCMP_SYS(unlinkat),
    SCMP_SYS(rmdir),
    SCMP_SYS(umask),
    SCMP_SYS(fadvise64),
    /* clients, the system log, xenstore, systemd, parser processes */
    SCMP_SYS(accept4),
    SCMP_SYS(connect),
    SCMP_SYS(recvfrom),
    SCMP_SYS(recvmsg),
    SCMP_SYS(sendto),
    SCMP_SYS(sendmsg),
    SCMP_SYS(getsockopt),
    SCMP_SYS(setsockopt),
    SCMP_SYS(shutdown),
    /* waiting */
    SCMP_SYS(epoll_wait),
    SCMP_SYS(epoll_pwait),
    SCMP_SYS(epoll_ctl),
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    SCMP_SYS(timerfd_settime),
    SCMP_SYS(nanosleep),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(futex),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(sched_yield),
    /* memory */
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(mlock),
    SCMP_SYS(mlock2),
    SCMP_SYS(munlock),
    SCMP_SYS(memfd_create), /* shared with parser processes */
    /* the process itself */
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_getres), /* whether a process has a clock */
    SCMP_SYS(time),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(getrandom),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(getuid),
    SCMP_SYS(geteuid),
    SCMP_SYS(getgid),
    SCMP_SYS(getegid),
    SCMP_SYS(getrusage),
    SCMP_SYS(getrlimit),
    SCMP_SYS(prlimit64),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(uname),
    SCMP_SYS(sysinfo),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(tgkill),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
};

/* ioctl by the letter of its device: privcmd and hypercall buffers, event
 * channels; and what stdio asks of a terminal. */
static int allow_ioctls(scmp_filter_ctx filter)
{
    int code = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
        SCMP_A1(SCMP_CMP_MASKED_EQ, 0xff00u, (unsigned int)'P' << 8));

    if ( !code )
        code = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
            SCMP_A1(SCMP_CMP_MASKED_EQ, 0xff00u, (unsigned int)'E' << 8));
    if ( !code )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(ioctl), 1,
                                SCMP_A1(SCMP_CMP_EQ, TCGETS, 0));
    return code;
}

static int allow_data_mappings(scmp_filter_ctx filter)
{
    static const int calls[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};
    int code = 0;

    for ( size_t i = 0; !code && i < sizeof(calls) / sizeof(calls[0]); i++ )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, calls[i], 1,
                                SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    return code;
}

static int fill_daemon_filter(scmp_filter_ctx filter)
{
    static const int sockets[] = {SCMP_SYS(socket), SCMP_SYS(socketpair)};
    int code = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);

    /* Calls of i386 and x32: by default only their thread would end. */
    if ( !code )
        code = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
                                SCMP_ACT_KILL_PROCESS);
    for ( size_t i = 0;
          !code && i < sizeof(allowed_to_daemon) / sizeof(allowed_to_daemon[0]);
          i++ )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed_to_daemon[i],
                                0);
    for ( size_t i = 0; !code && i < 2; i++ )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, sockets[i], 1,
                                SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0));
    if ( !code )
        code = allow_ioctls(filter);
    if ( !code )
        code = allow_data_mappings(filter);
    return code ? code : seccomp_load(filter);
}

int privileges_filter(struct failure *failure)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    int code = filter ? fill_daemon_filter(filter) : -ENOMEM;

    if ( filter )
        seccomp_release(filter);
    if ( code )
        return fail(failure, STATUS_FAILED,
                    "the filter for system calls cannot be set (%s); the "
                    "kernel needs CONFIG_SECCOMP_FILTER",
                    strerror(-code));
    return 0;
}

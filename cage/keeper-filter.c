/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The system calls of the keeper, and of a process on its way into its
 * sandbox. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>

#include "keeper-process.h"
#include "sandbox-reports.h"

static const int allowed_to_keeper[] = {
    SCMP_SYS(recvmsg),
    SCMP_SYS(sendto), /* that it is ready */
    SCMP_SYS(close),
    SCMP_SYS(kill),
    SCMP_SYS(wait4),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    /* memory, and what fork() does in the new process */
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    SCMP_SYS(set_robust_list),
    SCMP_SYS(rseq),
    SCMP_SYS(gettid),
    SCMP_SYS(getpid),
    SCMP_SYS(futex),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigreturn),
    /* the way into the sandbox */
    SCMP_SYS(read),
    SCMP_SYS(readv), /* musl's stdio, as lseek() */
    SCMP_SYS(lseek),
    SCMP_SYS(pread64), /* what is sent to be read */
    SCMP_SYS(clock_gettime),
    SCMP_SYS(setpriority),
    SCMP_SYS(write),
    SCMP_SYS(fstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(fcntl),
    SCMP_SYS(dup2),
    SCMP_SYS(close_range),
    SCMP_SYS(prctl),
    SCMP_SYS(prlimit64),
    SCMP_SYS(setrlimit),
    SCMP_SYS(sysinfo),
    SCMP_SYS(mlock2),
    SCMP_SYS(seccomp),
};

#define CLONE_OTHER                                                            \
    (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_THREAD | CLONE_NEWNS |          \
     CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |           \
     CLONE_NEWPID | CLONE_NEWNET)

/* All by which a file is made, emptied or written. */
#define OPEN_OTHER (O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND)

/* To read how much memory the process has. */
static int allow_reading(scmp_filter_ctx filter)
{
    int code = seccomp_rule_add(
        filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
        SCMP_A2(SCMP_CMP_MASKED_EQ, OPEN_OTHER, O_RDONLY));

    return code ? code
                : seccomp_rule_add(
                      filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
                      SCMP_A1(SCMP_CMP_MASKED_EQ, OPEN_OTHER, O_RDONLY));
}

/* As each libc forks: glibc by clone(), musl by fork().  The flags of clone3()
 * cannot be seen here, and who is refused it takes clone(). */
static int allow_forking(scmp_filter_ctx filter)
{
    int code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                                SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_OTHER, 0));

    if ( !code )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fork), 0);
    if ( !code )
        code = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS),
                                SCMP_SYS(clone3), 0);
    return code;
}

static int fill_keeper_filter(scmp_filter_ctx filter)
{
    static const int mapping[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};
    int code = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
                                SCMP_ACT_KILL_PROCESS);

    for ( size_t i = 0;
          !code && i < sizeof(allowed_to_keeper) / sizeof(allowed_to_keeper[0]);
          i++ )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed_to_keeper[i],
                                0);
    for ( size_t i = 0; !code && i < 2; i++ )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, mapping[i], 1,
                                SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if ( !code )
        code = allow_reading(filter);
    if ( !code )
        code = allow_forking(filter);
    if ( !code )
        code = sandbox_reports_keeper(filter);
    return code ? code : seccomp_load(filter);
}

int keeper_filter(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    int code = filter ? fill_keeper_filter(filter) : -ENOMEM;

    seccomp_release(filter);
    return code;
}

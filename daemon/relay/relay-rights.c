/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "relay-rights.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "write-ban.h"

#define BIT(stage) (1u << (stage))
#define CONNECTS   BIT(RELAY_CONNECTS)
#define PASSES     BIT(RELAY_PASSES)
#define READS      BIT(RELAY_READS)
#define EACH       (CONNECTS | PASSES | READS)

static struct identity user;

/* By stage. */
static const struct {
    int call;
    unsigned int stages;
} allowed_in_stages[] = {
    {SCMP_SYS(read), EACH},
    {SCMP_SYS(write), CONNECTS | PASSES},
    {SCMP_SYS(recvfrom), EACH},
    {SCMP_SYS(sendto), EACH},
    {SCMP_SYS(poll), EACH},
    {SCMP_SYS(ppoll), EACH},
    {SCMP_SYS(restart_syscall), EACH},
    {SCMP_SYS(rt_sigreturn), EACH},
    {SCMP_SYS(munmap), EACH},
    {SCMP_SYS(close), EACH},
    {SCMP_SYS(brk), EACH},
    {SCMP_SYS(futex), EACH},
    {SCMP_SYS(exit), EACH},
    {SCMP_SYS(exit_group), EACH},
    /* orders, and processes */
    {SCMP_SYS(recvmsg), CONNECTS},
    {SCMP_SYS(sendmsg), CONNECTS},
    {SCMP_SYS(kill), CONNECTS},
    {SCMP_SYS(wait4), CONNECTS},
    {SCMP_SYS(fork), CONNECTS},
    {SCMP_SYS(set_robust_list), CONNECTS},
    {SCMP_SYS(rseq), CONNECTS},
    {SCMP_SYS(gettid), CONNECTS},
    {SCMP_SYS(getpid), CONNECTS},
    /* xenstore and devices */
    {SCMP_SYS(access), CONNECTS},
    {SCMP_SYS(faccessat), CONNECTS},
    {SCMP_SYS(faccessat2), CONNECTS},
    {SCMP_SYS(stat), CONNECTS},
    {SCMP_SYS(fstat), CONNECTS | READS},
    {SCMP_SYS(newfstatat), CONNECTS | READS},
    {SCMP_SYS(fcntl), CONNECTS},
    {SCMP_SYS(connect), CONNECTS},
    {SCMP_SYS(getsockopt), CONNECTS},
    {SCMP_SYS(readv), CONNECTS},
    {SCMP_SYS(writev), CONNECTS},
    {SCMP_SYS(lseek), CONNECTS | READS},
    {SCMP_SYS(ioctl), CONNECTS},
    /* files of a root */
    {SCMP_SYS(openat2), CONNECTS | READS},
    {SCMP_SYS(pread64), CONNECTS | READS},
    {SCMP_SYS(statx), CONNECTS | READS},
    {SCMP_SYS(sysinfo), CONNECTS | READS},
    {SCMP_SYS(clock_gettime), CONNECTS | READS},
    /* the way down */
    {SCMP_SYS(chroot), CONNECTS},
    {SCMP_SYS(chdir), CONNECTS},
    {SCMP_SYS(fchdir), CONNECTS},
    {SCMP_SYS(dup2), CONNECTS},
    {SCMP_SYS(setresuid), CONNECTS},
    {SCMP_SYS(setresgid), CONNECTS},
    {SCMP_SYS(setgroups), CONNECTS},
    {SCMP_SYS(getuid), CONNECTS},
    {SCMP_SYS(capset), CONNECTS},
    {SCMP_SYS(prctl), CONNECTS},
    {SCMP_SYS(prlimit64), CONNECTS},
    {SCMP_SYS(setrlimit), CONNECTS},
    {SCMP_SYS(seccomp), CONNECTS},
    {SCMP_SYS(mremap), CONNECTS | READS},
    {SCMP_SYS(madvise), CONNECTS | READS},
    {SCMP_SYS(rt_sigprocmask), CONNECTS},
    {SCMP_SYS(rt_sigaction), CONNECTS},
    {SCMP_SYS(getrandom), CONNECTS | READS},
};

#define CLONE_OTHER                                                            \
    (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_THREAD | CLONE_NEWNS |          \
     CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |           \
     CLONE_NEWPID | CLONE_NEWNET)

/* All by which a file is made, emptied or written at its end. */
#define OPEN_MAKES (O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))

/* Files are opened to be read; while a relay connects, devices also to be read
 * and written, which write_ban() knows from files. */
static int fill_opening(scmp_filter_ctx filter, unsigned int mode)
{
    const uint32_t seen = O_ACCMODE | OPEN_MAKES;
    int code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
                                SCMP_A2(SCMP_CMP_MASKED_EQ, seen, mode));

    return code ? code
                : seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(open), 1,
                                   SCMP_A1(SCMP_CMP_MASKED_EQ, seen, mode));
}

/* No code is mapped. */
static int fill_memory(scmp_filter_ctx filter)
{
    static const int mapping[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};
    int code = 0;

    for ( size_t i = 0; !code && i < 2; i++ )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, mapping[i], 1,
                                SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    return code;
}

/* Forks as each libc does (keeper-filter.c); no sockets but local ones. */
static int fill_connecting(scmp_filter_ctx filter)
{
    int code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(clone), 1,
                                SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_OTHER, 0));

    if ( !code )
        code = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS),
                                SCMP_SYS(clone3), 0);
    if ( !code )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(socket), 1,
                                SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0));
    if ( !code )
        code = fill_opening(filter, O_RDONLY);
    if ( !code )
        code = fill_opening(filter, O_RDWR);
    return code ? code : fill_memory(filter);
}

/* Libraries look at files too, none of which is outside of the root, and at
 * what a descriptor is. */
static int fill_reading(scmp_filter_ctx filter)
{
    static const int looks[] = {F_GETFD, F_GETFL};
    int code = fill_opening(filter, O_RDONLY);

    for ( size_t i = 0; !code && i < 2; i++ )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
                                SCMP_A1_32(SCMP_CMP_EQ, (uint32_t)looks[i], 0));
    return code ? code : fill_memory(filter);
}

static int fill_relay_filter(scmp_filter_ctx filter, enum relay_stage stage)
{
    static int (*const rest[RELAY_STAGES])(scmp_filter_ctx) = {
        [RELAY_CONNECTS] = fill_connecting,
        [RELAY_READS] = fill_reading,
    };
    int code = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
                                SCMP_ACT_KILL_PROCESS);

    for ( size_t i = 0;
          !code && i < sizeof(allowed_in_stages) / sizeof(allowed_in_stages[0]);
          i++ )
        if ( allowed_in_stages[i].stages & BIT(stage) )
            code = seccomp_rule_add(filter, SCMP_ACT_ALLOW,
                                    allowed_in_stages[i].call, 0);
    if ( !code )
        code = rest[stage] ? rest[stage](filter) : 0;
    return code ? code : seccomp_load(filter);
}

int relay_rights_filter(enum relay_stage stage)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    int code = filter ? fill_relay_filter(filter, stage) : -ENOMEM;

    seccomp_release(filter);
    return code;
}

void relay_rights_user(const struct identity *identity)
{
    user = *identity;
}

int relay_rights_keep(void)
{
    int code = privileges_keep(CAP_TO_MASK(CAP_SETUID) |
                               CAP_TO_MASK(CAP_SETGID) | CAP_TO_MASK(CAP_KILL) |
                               CAP_TO_MASK(CAP_SYS_CHROOT));

    if ( !code )
        code = write_ban();
    return code ? code : relay_rights_filter(RELAY_CONNECTS);
}

int relay_rights_drop(enum relay_stage stage)
{
    const struct identity reader = {READER_ID, READER_ID};
    const struct rlimit none = {0, 0};

    if ( privileges_become(stage == RELAY_READS ? &reader : &user) ||
         setrlimit(RLIMIT_CORE, &none) || setrlimit(RLIMIT_NPROC, &none) )
        return -EPERM;
    return relay_rights_filter(stage);
}

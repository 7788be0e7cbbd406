/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent-rights.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/capability.h>
#include <seccomp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory-limit.h"

/* Bytes beyond what there is now: all that it holds, and a file that is read.
 * The unit's MemoryMax would end it. */
#define MEMORY_MAX (192u << 20)

static const int allowed_to_agent[] = {
    /* files, to be read */
    SCMP_SYS(openat2),
    SCMP_SYS(close),
    SCMP_SYS(read),
    SCMP_SYS(pread64),
    SCMP_SYS(lseek),
    SCMP_SYS(fstat),
    SCMP_SYS(newfstatat),
    SCMP_SYS(statx),
    SCMP_SYS(getdents64),
    /* clients */
    SCMP_SYS(accept4),
    SCMP_SYS(getsockopt),
    SCMP_SYS(recvfrom),
    SCMP_SYS(sendto),
    /* orders to the keeper, and processes */
    SCMP_SYS(sendmsg),
    SCMP_SYS(recvmsg),
    SCMP_SYS(socketpair),
    SCMP_SYS(setsockopt),
    SCMP_SYS(clock_getres), /* whether there is such a clock */
    SCMP_SYS(poll),
    SCMP_SYS(ppoll),
    /* waiting */
    SCMP_SYS(epoll_wait),
    SCMP_SYS(epoll_pwait),
    SCMP_SYS(epoll_ctl),
    SCMP_SYS(futex),
    SCMP_SYS(restart_syscall),
    /* memory */
    SCMP_SYS(brk),
    SCMP_SYS(munmap),
    SCMP_SYS(mremap),
    SCMP_SYS(madvise),
    /* the process itself */
    SCMP_SYS(clock_gettime),
    SCMP_SYS(getrandom),
    SCMP_SYS(sysinfo),
    SCMP_SYS(getpid),
    SCMP_SYS(gettid),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(sigaltstack), /* the end of a build with sanitizers */
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(tgkill),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
};

/* The flags of openat2() are in memory, where a filter cannot look: no byte is
 * written to a file all the same, for there is a limit. */
static int fill_agent_filter(scmp_filter_ctx filter, int store)
{
    static const int memory[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};
    /* No descriptor gets a second number, which rules do not know. */
    static const int flags[] = {F_GETFD, F_SETFD, F_GETFL, F_SETFL};
    int code = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
                                SCMP_ACT_KILL_PROCESS);

    for ( size_t i = 0;
          !code && i < sizeof(allowed_to_agent) / sizeof(allowed_to_agent[0]);
          i++ )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed_to_agent[i], 0);
    for ( size_t i = 0; !code && i < 2; i++ )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, memory[i], 1,
                                SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if ( !code )
        code = seccomp_rule_add(
            filter, SCMP_ACT_ALLOW, SCMP_SYS(openat), 1,
            SCMP_A2(SCMP_CMP_MASKED_EQ, O_ACCMODE | O_CREAT, O_RDONLY));
    for ( size_t i = 0; !code && i < sizeof(flags) / sizeof(flags[0]); i++ )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(fcntl), 1,
                                SCMP_A1_32(SCMP_CMP_EQ, (uint32_t)flags[i], 0));
    /* Sentences. */
    if ( !code )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, SCMP_SYS(write), 1,
                                SCMP_A0_32(SCMP_CMP_NE, (uint32_t)store, 0));
    return code ? code : seccomp_load(filter);
}

static int set_agent_filter(int store)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    int code = filter ? fill_agent_filter(filter, store) : -ENOMEM;

    if ( filter )
        seccomp_release(filter);
    return code;
}

static int drop_bounding_capabilities(void)
{
    for ( unsigned long cap = 0; cap < 64; cap++ )
        if ( prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) && errno != EINVAL )
            return -1;
    return 0;
}

/* Of those that there are now: who was not started by root has none. */
static int keep_capabilities(bool root)
{
    struct __user_cap_header_struct header = {
        .version = _LINUX_CAPABILITY_VERSION_3,
    };
    const uint32_t kept = root ? CAP_TO_MASK(CAP_SYS_PTRACE) |
                                     CAP_TO_MASK(CAP_DAC_READ_SEARCH)
                               : 0;
    const struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
        {.effective = kept, .permitted = kept}};

    return (int)syscall(SYS_capset, &header, data);
}

static int become(uid_t user, gid_t group)
{
    return prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) || drop_bounding_capabilities() ||
                   setgroups(0, NULL) || setresgid(group, group, group) ||
                   setresuid(user, user, user)
               ? -1
               : 0;
}

int agent_rights_drop(uid_t user, gid_t group, int store,
                      struct failure *failure)
{
    const struct rlimit none = {0, 0};
    bool root = geteuid() == 0;
    int code = root && become(user, group) ? -errno : 0;

    if ( !code &&
         (keep_capabilities(root) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
          setrlimit(RLIMIT_CORE, &none) || setrlimit(RLIMIT_FSIZE, &none) ||
          !memory_limit(MEMORY_MAX) || prctl(PR_SET_DUMPABLE, 0)) )
        code = -errno;
    if ( !code )
        code = set_agent_filter(store);
    if ( code )
        return fail(failure, STATUS_FAILED,
                    "privileges cannot be dropped (%s), and opagent does not "
                    "work with them",
                    strerror(-code));
    return 0;
}

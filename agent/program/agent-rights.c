/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "agent-rights.h"

#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/memory-limit.h"
#include "cage/filter.h"

/* Bytes beyond what there is now: all that it holds, and a file that is read.
 * The unit's MemoryMax would end it. */
#define MEMORY_MAX (192u << 20)

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
        code = filter_set(CAGE_AGENT, store);
    if ( code )
        return fail(failure, STATUS_FAILED,
                    "privileges cannot be dropped (%s), and opagent does not "
                    "work with them",
                    strerror(-code));
    return 0;
}

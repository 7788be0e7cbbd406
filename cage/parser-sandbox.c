/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way into the sandbox: descriptors, limits, and last the filter. */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "parser-sandbox.h"
#include "base/scope.h"

/* Descriptors from first on. */
static int close_from(unsigned int first)
{
    return (int)syscall(SYS_close_range, first, ~0u, 0);
}

/* Out of the way first: each may lie where the other belongs. */
static int keep_only(int in, int out)
{
    int high_in = fcntl(in, F_DUPFD, 2), high_out = fcntl(out, F_DUPFD, 2);

    if ( high_in < 0 || high_out < 0 || dup2(high_in, SANDBOX_IN) < 0 ||
         dup2(high_out, SANDBOX_OUT) < 0 || close_from(2) )
        return -errno;
    return 0;
}

/* Addresses that this process has now, in bytes. */
static rlim_t addresses_used(void)
{
    FILE *file SCOPE_FCLOSE = fopen("/proc/self/statm", "re");
    unsigned long pages = 0;

    if ( !file || fscanf(file, "%lu", &pages) != 1 )
        return 0;
    return pages * (rlim_t)sysconf(_SC_PAGESIZE);
}

static int set_limit(int what, rlim_t value)
{
    struct rlimit limit = {value, value};

    return setrlimit(what, &limit) ? -errno : 0;
}

static int set_limits(size_t memory, rlim_t files)
{
    rlim_t used = addresses_used();
    int code = used ? set_limit(RLIMIT_AS, used + memory) : -ENOENT;

    if ( !code )
        code = set_limit(RLIMIT_CORE, 0);
    if ( !code )
        code = set_limit(RLIMIT_FSIZE, 0);
    if ( !code )
        code = set_limit(RLIMIT_NPROC, 0);
    if ( !code )
        code = set_limit(RLIMIT_NOFILE, files);
    return code;
}

static int compare_bytes(const void *a, const void *b)
{
    return *(const char *)a - *(const char *)b;
}

/* qsort() asks the kernel how much memory there is, the first time that an
 * array is large: before the filter, then. */
static void warm_up(void)
{
    char *array SCOPE_FREE = calloc(1, 8192);

    if ( array )
        qsort(array, 8192, 1, compare_bytes);
}

static int shut_process_in(int in, int out, size_t memory, rlim_t files)
{
    int code;

    if ( prctl(PR_SET_PDEATHSIG, SIGKILL) ||
         prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0) )
        return -errno;
    warm_up();
    code = keep_only(in, out);
    if ( !code )
        code = set_limits(memory, files);
    return code ? code : filter_set(files ? CAGE_FILES : CAGE_PARSER, -1);
}

int sandbox_enter(int in, int out, size_t memory)
{
    return shut_process_in(in, out, memory, 0);
}

int sandbox_enter_for_files(int socket, size_t memory)
{
    return shut_process_in(socket, socket, memory, SANDBOX_FILES_MAX);
}

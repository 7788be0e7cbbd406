/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A process that is shut in has no standard error, and may not make a system
 * call to print.  Its sanitizer hands each text that it prints to a function,
 * which leaves it in memory that all processes share with the first.
 */
#include <errno.h>
#include <sanitizer/common_interface_defs.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "sandbox-reports.h"

#define TEXT_MOST (1u << 18)

static struct {
    atomic_size_t length; /* may be more than there is room for */
    char text[TEXT_MOST];
} * report;

static bool inside;

void __sanitizer_on_print(const char *text);

/* Called by the sanitizer, of which it may not ask anything. */
__attribute__((no_sanitize("address", "undefined"))) void __sanitizer_on_print(
    const char *text)
{
    size_t length = 0, at;

    if ( !inside || !report )
        return;
    while ( text[length] )
        length++;
    at = atomic_fetch_add(&report->length, length);
    for ( size_t i = 0; i < length && at + i < TEXT_MOST; i++ )
        report->text[at + i] = text[i];
}

static void __attribute__((constructor)) begin(void)
{
    void *memory = mmap(NULL, sizeof(*report), PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    report = memory == MAP_FAILED ? NULL : memory;
}

static void __attribute__((destructor)) end(void)
{
    char *rest = report ? report->text : NULL, *line, place[512];
    void *address;

    if ( inside || !rest || !report->length )
        return;
    fflush(NULL);
    rest[TEXT_MOST - 1] = '\0';
    while ( (line = strsep(&rest, "\n")) )
        if ( sscanf(line, " #%*u %p", &address) != 1 )
            fprintf(stderr, "%s\n", line);
        else
        {
            /* A child's is one of its parent's: nothing was loaded since. */
            __sanitizer_symbolize_pc(address, "%F %S", place, sizeof(place));
            fprintf(stderr, "%s %s\n", line, place);
        }
    _exit(1);
}

static int add(scmp_filter_ctx filter, uint32_t action, const int *calls,
               size_t count)
{
    for ( size_t i = 0; i < count; i++ )
    {
        int code = seccomp_rule_add(filter, action, calls[i], 0);

        if ( code && code != -EEXIST )
            return code;
    }
    return 0;
}

int sandbox_reports_keeper(scmp_filter_ctx filter)
{
    static const int made[] = {
        SCMP_SYS(sigaltstack),    SCMP_SYS(rt_sigaction),
        SCMP_SYS(rt_sigprocmask), SCMP_SYS(rt_sigreturn),
        SCMP_SYS(getpid),         SCMP_SYS(gettid),
        SCMP_SYS(futex),          SCMP_SYS(sched_yield),
    };
    static const int refused[] = {SCMP_SYS(readlink), SCMP_SYS(pipe),
                                  SCMP_SYS(pipe2), SCMP_SYS(ioctl),
                                  SCMP_SYS(stat)};
    int code = add(filter, SCMP_ACT_ALLOW, made, sizeof(made) / sizeof(int));

    inside = true;
    return code ? code
                : add(filter, SCMP_ACT_ERRNO(EPERM), refused,
                      sizeof(refused) / sizeof(int));
}

int sandbox_reports_inside(scmp_filter_ctx filter)
{
    static const int refused[] = {SCMP_SYS(open), SCMP_SYS(openat),
                                  SCMP_SYS(newfstatat)};
    int code = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(write),
                                1, SCMP_A0(SCMP_CMP_NE, STDOUT_FILENO, 0));

    if ( !code )
        code = add(filter, SCMP_ACT_ERRNO(EPERM), refused,
                   sizeof(refused) / sizeof(int));
    return code ? code : sandbox_reports_keeper(filter);
}

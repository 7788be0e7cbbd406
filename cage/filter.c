/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/socket.h>

#include "filter.h"
#include "sandbox-reports.h"

#define CLONE_OTHER                                                            \
    (CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_THREAD | CLONE_NEWNS |          \
     CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |           \
     CLONE_NEWPID | CLONE_NEWNET)

/* All by which a file is made, emptied or written. */
#define OPEN_OTHER                                                             \
    (O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY))

/* What system-calls.def says of a call and a role. */
enum permission {
    _,
    yes,
    data,   /* memory without code */
    anon,   /* memory without code that is of no file */
    in,     /* from the cage's descriptor */
    out,    /* to the cage's descriptor */
    others, /* to any descriptor but one */
    local,  /* sockets of this host */
    inet,   /* sockets of a network, and how it is reached; those of this host
               are refused: who looks up names asks for them */
    xen,    /* devices of Xen, and what stdio asks of a terminal */
    reads,  /* files, to be read */
    opens,  /* the same, and devices to be read and written, which write_ban()
               knows from files */
    getfd,  /* whether a descriptor is one, as libelf asks */
    getfl,  /* the same, and what it is */
    setfl,  /* the same, and change that: no descriptor gets a second number,
               which rules do not know */
    forks,  /* a process of its own */
    thread, /* in this process */
    absent  /* refused, as by a kernel that does not have it */
};

/* One rule each; a permission has one or more. */
static const struct {
    enum permission permission;
    unsigned int count;
    struct scmp_arg_cmp of[2];
} rules[] = {
    {yes, 0, {{0}}},
    {data, 1, {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0)}},
    {anon,
     2,
     {SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0),
      SCMP_A3(SCMP_CMP_MASKED_EQ, MAP_ANONYMOUS, MAP_ANONYMOUS)}},
    {in, 1, {SCMP_A0(SCMP_CMP_EQ, SANDBOX_IN, 0)}},
    {out, 1, {SCMP_A0(SCMP_CMP_EQ, SANDBOX_OUT, 0)}},
    {others, 1, {SCMP_A0(SCMP_CMP_NE, 0, 0)}}, /* with the descriptor */
    {local, 1, {SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0)}},
    {inet, 1, {SCMP_A0(SCMP_CMP_EQ, AF_INET, 0)}},
    {inet, 1, {SCMP_A0(SCMP_CMP_EQ, AF_INET6, 0)}},
    {inet, 1, {SCMP_A0(SCMP_CMP_EQ, AF_NETLINK, 0)}},
    /* By the letter of the device: privcmd and hypercall buffers; event
     * channels. */
    {xen, 1, {SCMP_A1(SCMP_CMP_MASKED_EQ, 0xff00u, (unsigned int)'P' << 8)}},
    {xen, 1, {SCMP_A1(SCMP_CMP_MASKED_EQ, 0xff00u, (unsigned int)'E' << 8)}},
    {xen, 1, {SCMP_A1(SCMP_CMP_EQ, TCGETS, 0)}},
    {reads, 1, {SCMP_A2(SCMP_CMP_MASKED_EQ, OPEN_OTHER, O_RDONLY)}},
    {opens, 1, {SCMP_A2(SCMP_CMP_MASKED_EQ, OPEN_OTHER, O_RDONLY)}},
    {opens, 1, {SCMP_A2(SCMP_CMP_MASKED_EQ, OPEN_OTHER, O_RDWR)}},
    {getfd, 1, {SCMP_A1_32(SCMP_CMP_EQ, F_GETFD, 0)}},
    {getfl, 1, {SCMP_A1_32(SCMP_CMP_EQ, F_GETFD, 0)}},
    {getfl, 1, {SCMP_A1_32(SCMP_CMP_EQ, F_GETFL, 0)}},
    {setfl, 1, {SCMP_A1_32(SCMP_CMP_EQ, F_GETFD, 0)}},
    {setfl, 1, {SCMP_A1_32(SCMP_CMP_EQ, F_GETFL, 0)}},
    {setfl, 1, {SCMP_A1_32(SCMP_CMP_EQ, F_SETFD, 0)}},
    {setfl, 1, {SCMP_A1_32(SCMP_CMP_EQ, F_SETFL, 0)}},
    {forks, 1, {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_OTHER, 0)}},
    {thread, 1, {SCMP_A0(SCMP_CMP_MASKED_EQ, CLONE_THREAD, CLONE_THREAD)}},
};

/* What does not end a process, but fails. */
static const struct {
    enum permission permission;
    int error;
    unsigned int count;
    struct scmp_arg_cmp of[1];
} refusals[] = {
    {absent, ENOSYS, 0, {{0}}},
    {inet, EAFNOSUPPORT, 1, {SCMP_A0(SCMP_CMP_EQ, AF_UNIX, 0)}},
};

static const struct {
    int call;
    enum permission of[CAGE_ROLES];
} calls[] = {
#define CALL(call, ...) {SCMP_SYS(call), {__VA_ARGS__}},
#include "system-calls.def"
#undef CALL
};

/* What a build with sanitizers says from inside. */
static int (*const reports[CAGE_ROLES])(scmp_filter_ctx) = {
    [CAGE_KEEPER] = sandbox_reports_keeper,
    [CAGE_PARSER] = sandbox_reports_inside,
    [CAGE_FILES] = sandbox_reports_inside,
};

static int add_call(scmp_filter_ctx filter, int call,
                    enum permission permission, int other)
{
    int code = 0;

    for ( size_t i = 0; !code && i < sizeof(rules) / sizeof(rules[0]); i++ )
    {
        struct scmp_arg_cmp of[2] = {rules[i].of[0], rules[i].of[1]};

        if ( rules[i].permission != permission )
            continue;
        if ( permission == others )
            of[0] = SCMP_A0_32(SCMP_CMP_NE, (uint32_t)other, 0);
        if ( call == SCMP_SYS(open) )
            of[0].arg = 1; /* its flags */
        code = seccomp_rule_add_array(filter, SCMP_ACT_ALLOW, call,
                                      rules[i].count, of);
    }
    return code;
}

static int add_refusal(scmp_filter_ctx filter, int call,
                       enum permission permission)
{
    int code = 0;

    for ( size_t i = 0; !code && i < sizeof(refusals) / sizeof(*refusals); i++ )
        if ( refusals[i].permission == permission )
            code = seccomp_rule_add_array(
                filter, SCMP_ACT_ERRNO((uint32_t)refusals[i].error), call,
                refusals[i].count, refusals[i].of);
    return code;
}

int filter_set(enum cage_role role, int other)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    /* Calls of i386 and x32: by default only their thread would end. */
    int code = filter ? seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
                                         SCMP_ACT_KILL_PROCESS)
                      : -ENOMEM;

    if ( !code && role == CAGE_DAEMON )
        code = seccomp_attr_set(filter, SCMP_FLTATR_CTL_TSYNC, 1);
    for ( size_t i = 0; !code && i < sizeof(calls) / sizeof(calls[0]); i++ )
    {
        code = add_call(filter, calls[i].call, calls[i].of[role], other);
        if ( !code )
            code = add_refusal(filter, calls[i].call, calls[i].of[role]);
    }
    if ( !code && reports[role] )
        code = reports[role](filter);
    if ( !code )
        code = seccomp_load(filter);
    if ( filter )
        seccomp_release(filter);
    return code;
}

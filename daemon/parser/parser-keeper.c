/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The keeper: one half runs in the daemon and sends orders, the other in the
 * keeper and obeys. */
#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <seccomp.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "parser-keeper.h"

/* Sent instead of a pid if no process could be made. */
#define NO_PARSER (-1)

enum order { ORDER_MAKE = 'm', ORDER_END = 'e' };

/* Seconds that the daemon waits for an answer of the keeper, which comes in
 * milliseconds on an idle host. */
#define PATIENCE 10

/* A message with two descriptors: the daemon's ends of the parser's pipes. */
struct parcel {
    struct msghdr header;
    struct iovec bytes;
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(2 * sizeof(int))];
    } control;
};

static void parcel_init(struct parcel *parcel, pid_t *pid)
{
    memset(parcel, 0, sizeof(*parcel));
    parcel->bytes = (struct iovec){pid, sizeof(*pid)};
    parcel->header.msg_iov = &parcel->bytes;
    parcel->header.msg_iovlen = 1;
    parcel->header.msg_control = parcel->control.room;
    parcel->header.msg_controllen = sizeof(parcel->control.room);
}

static bool send_parser(int to, pid_t pid, const int ends[2])
{
    struct parcel parcel;
    struct cmsghdr *part;

    parcel_init(&parcel, &pid);
    part = CMSG_FIRSTHDR(&parcel.header);
    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(2 * sizeof(int));
    memcpy(CMSG_DATA(part), ends, 2 * sizeof(int));
    return sendmsg(to, &parcel.header, MSG_NOSIGNAL) == sizeof(pid);
}

static bool receive_parser(int from, pid_t *pid, int ends[2])
{
    struct parcel parcel;
    struct cmsghdr *part;

    parcel_init(&parcel, pid);
    if ( recvmsg(from, &parcel.header, MSG_CMSG_CLOEXEC) != sizeof(*pid) )
        return false;
    part = CMSG_FIRSTHDR(&parcel.header);
    if ( !part || part->cmsg_type != SCM_RIGHTS ||
         part->cmsg_len != CMSG_LEN(2 * sizeof(int)) )
        return false;
    memcpy(ends, CMSG_DATA(part), 2 * sizeof(int));
    return true;
}

/* In the keeper ---------------------------------------------------------- */

/* Not exit(): the filter kills a process for what libraries do there. */
static void leave(void)
{
    syscall(SYS_exit_group, 0);
}

static void end_parser(pid_t *pid)
{
    if ( *pid <= 0 )
        return;
    kill(*pid, SIGKILL);
    waitpid(*pid, NULL, 0);
    *pid = 0;
}

/* ends: 0 and 1 are the requests' pipe, 2 and 3 the answers'. */
static pid_t fork_parser(const struct parser_keeper *keeper, const int ends[4])
{
    pid_t pid = fork();

    if ( pid == 0 )
    {
        keeper->run(ends[0], ends[3]);
        leave();
    }
    return pid;
}

static void make_parser(const struct parser_keeper *keeper, pid_t *pid)
{
    int ends[4] = {-1, -1, -1, -1}, daemons[2];

    if ( pipe2(ends, O_CLOEXEC) || pipe2(ends + 2, O_CLOEXEC) )
        *pid = NO_PARSER;
    else
        *pid = fork_parser(keeper, ends);
    daemons[0] = ends[1];
    daemons[1] = ends[2];
    /* The daemon cannot use a parser that it did not receive. */
    if ( *pid > 0 && !send_parser(keeper->orders, *pid, daemons) )
        end_parser(pid);
    else if ( *pid < 0 &&
              send(keeper->orders, pid, sizeof(*pid), MSG_NOSIGNAL) < 0 )
        *pid = 0;
    for ( int i = 0; i < 4; i++ )
        if ( ends[i] >= 0 )
            close(ends[i]);
}

static void obey(const struct parser_keeper *keeper)
{
    pid_t pid = 0;
    char order;

    while ( recv(keeper->orders, &order, 1, 0) == 1 )
    {
        end_parser(&pid);
        if ( order == ORDER_MAKE )
            make_parser(keeper, &pid);
    }
    end_parser(&pid);
}

static const int allowed[] = {
    SCMP_SYS(recvfrom),
    SCMP_SYS(sendto),
    SCMP_SYS(sendmsg),
    SCMP_SYS(pipe2),
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
    /* the parser's way into its sandbox */
    SCMP_SYS(read),
    SCMP_SYS(readv), /* musl's stdio, as lseek() */
    SCMP_SYS(lseek),
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

static int fill(scmp_filter_ctx filter)
{
    static const int mapping[] = {SCMP_SYS(mmap), SCMP_SYS(mprotect)};
    int code = seccomp_attr_set(filter, SCMP_FLTATR_ACT_BADARCH,
                                SCMP_ACT_KILL_PROCESS);

    for ( size_t i = 0; !code && i < sizeof(allowed) / sizeof(allowed[0]); i++ )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, allowed[i], 0);
    for ( size_t i = 0; !code && i < 2; i++ )
        code = seccomp_rule_add(filter, SCMP_ACT_ALLOW, mapping[i], 1,
                                SCMP_A2(SCMP_CMP_MASKED_EQ, PROT_EXEC, 0));
    if ( !code )
        code = allow_reading(filter);
    if ( !code )
        code = allow_forking(filter);
    return code ? code : seccomp_load(filter);
}

static int filter_keeper(void)
{
    scmp_filter_ctx filter = seccomp_init(SCMP_ACT_KILL_PROCESS);
    int code = filter ? fill(filter) : -ENOMEM;

    seccomp_release(filter);
    return code;
}

/* Closes all descriptors but the orders, which become 0. */
static int keep_orders(struct parser_keeper *keeper)
{
    if ( dup2(keeper->orders, 0) < 0 || syscall(SYS_close_range, 1, ~0u, 0) )
        return -errno;
    keeper->orders = 0;
    return 0;
}

static void be_keeper(struct parser_keeper *keeper,
                      const struct identity *identity)
{
    struct failure ignored;
    pid_t ready = 0;
    int code = identity ? privileges_drop(identity, &ignored) : 0;

    prctl(PR_SET_NAME, "xenoprof-keeper");
    /* A terminal or systemd may signal all processes; the keeper lives until
     * the daemon closes the orders. */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    if ( prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_DUMPABLE, 0) )
        code = -errno;
    if ( !code )
        code = keep_orders(keeper);
    if ( !code )
        code = filter_keeper();
    if ( !code &&
         send(keeper->orders, &ready, sizeof(ready), MSG_NOSIGNAL) > 0 )
        obey(keeper);
    leave();
}

/* In the daemon ---------------------------------------------------------- */

int parser_keeper_start(struct parser_keeper *keeper,
                        const struct identity *identity, void (*run)(int, int),
                        struct failure *failure)
{
    const struct timeval patience = {.tv_sec = PATIENCE};
    int ends[2];
    pid_t pid;

    *keeper = (struct parser_keeper){.orders = -1, .run = run};
    if ( socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) )
        return fail(failure, STATUS_FAILED, "no socket can be made: %s",
                    strerror(errno));
    pid = fork();
    if ( pid == 0 )
    {
        keeper->orders = ends[1];
        be_keeper(keeper, identity);
    }
    close(ends[1]);
    keeper->orders = ends[0];
    setsockopt(ends[0], SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof(patience));
    if ( pid > 0 && recv(ends[0], &pid, sizeof(pid), 0) == sizeof(pid) )
        return 0;
    parser_keeper_stop(keeper);
    return fail(failure, STATUS_FAILED,
                "xenoprof-parser cannot be sandboxed; dom0's kernel needs "
                "CONFIG_SECCOMP_FILTER and close_range(2) (Linux 5.9)");
}

void parser_keeper_stop(struct parser_keeper *keeper)
{
    if ( keeper->orders >= 0 )
        close(keeper->orders);
    keeper->orders = -1;
}

static bool order(const struct parser_keeper *keeper, enum order order)
{
    char byte = (char)order;

    return send(keeper->orders, &byte, 1, MSG_NOSIGNAL) == 1;
}

static bool make(void *self, struct parser_process *ret)
{
    struct parser_keeper *keeper = self;
    int ends[2];

    ret->pid = 0;
    if ( !order(keeper, ORDER_MAKE) )
        return false;
    if ( !receive_parser(keeper->orders, &ret->pid, ends) )
    {
        /* A late answer would be taken for that of the next order. */
        if ( ret->pid != NO_PARSER )
            parser_keeper_stop(keeper);
        return false;
    }
    ret->requests = ends[0];
    ret->answers = ends[1];
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

static void end(void *self)
{
    order(self, ORDER_END);
}

struct parser_maker parser_keeper_maker(struct parser_keeper *keeper)
{
    return (struct parser_maker){make, end, keeper};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Obeys: makes processes, kills them, and remembers which number is whose. */
#include <errno.h>
#include <linux/close_range.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/vector.h"
#include "filter.h"
#include "keeper-order.h"
#include "keeper-process.h"

struct kept_process {
    pid_t pid;
    uint32_t number;
    bool killed; /* to be waited for */
};

struct kept_processes {
    VECTOR(struct kept_process);
};

/* Not exit(): the filter kills a process for what libraries do there. */
static void leave_process(void)
{
    syscall(SYS_exit_group, 0);
}

/* If this fails, the daemon sees its end of the socket close. */
static void make_ordered_process(struct kept_processes *kept, int orders,
                                 const struct keeper_order *order,
                                 process_act act)
{
    struct process_order made = {.kind = (enum process_kind)order->kind};
    struct kept_process *process;
    pid_t pid;

    if ( order->kind >= PROCESS_KINDS || !order->count ||
         !vector_reserve(kept, 1) )
        return;
    pid = fork();
    if ( pid < 0 )
        return;
    if ( pid == 0 )
    {
        close(orders); /* the daemon sees the keeper's end by it */
        for ( ; made.count < order->count - 1; made.count++ )
            made.files[made.count] = order->files[made.count + 1];
        act(&made, order->files[0]);
        leave_process();
    }
    process = vector_add(kept);
    process->pid = pid;
    process->number = order->number;
}

static void kill_process(struct kept_processes *kept, uint32_t number)
{
    for ( size_t i = 0; i < kept->count; i++ )
        if ( kept->items[i].number == number && !kept->items[i].killed )
        {
            kill(kept->items[i].pid, SIGKILL);
            kept->items[i].killed = true;
        }
}

/* Only those that were to be killed: until then the daemon may look at a dead
 * process's clock, and no other may have its pid. */
static void wait_for_killed(struct kept_processes *kept)
{
    size_t left = 0;

    for ( size_t i = 0; i < kept->count; i++ )
        if ( !kept->items[i].killed ||
             waitpid(kept->items[i].pid, NULL, WNOHANG) == 0 )
            kept->items[left++] = kept->items[i];
    kept->count = left;
}

static void obey(int orders, process_act act)
{
    struct kept_processes kept = {0};
    struct keeper_order order;

    while ( keeper_order_receive(orders, &order) )
    {
        wait_for_killed(&kept);
        if ( order.kind == KEEPER_END )
            kill_process(&kept, order.number);
        else
            make_ordered_process(&kept, orders, &order, act);
        for ( unsigned int i = 0; i < order.count; i++ )
            close(order.files[i]);
    }
    for ( size_t i = 0; i < kept.count; i++ )
        kill(kept.items[i].pid, SIGKILL);
}

void keeper_process_run(int orders, const struct keeper_kind *kind)
{
    struct failure ignored = {0};
    int code = kind->identity ? privileges_drop(kind->identity, &ignored) : 0;

    prctl(PR_SET_NAME, kind->name);
    /* A terminal or systemd may signal all processes; the keeper lives until
     * the daemon closes the orders. */
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
    if ( prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
         privileges_forbid_dumps(&ignored) )
        code = -EPERM;
    /* All descriptors are closed but the orders, which become 0. */
    if ( !code && (dup2(orders, 0) < 0 || syscall(SYS_close_range, 1, ~0u, 0)) )
        code = -errno;
    if ( !code )
        code = kind->shut_in();
    if ( !code && send(0, "", 1, MSG_NOSIGNAL) == 1 )
        obey(0, kind->act);
    leave_process();
}

int keeper_filter(void)
{
    return filter_set(CAGE_KEEPER, -1);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The daemon's half of the keeper: starts it, and sends orders. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include "keeper.h"
#include "keeper-order.h"
#include "keeper-process.h"

/* Seconds that the keeper may take to shut itself in, where dom0 has a tenth of
 * a pCPU.  A keeper that cannot do it exits, and the socket says so at once. */
#define PATIENCE 60

/* Returns 0 when it is ready, or an exit status with its sentence. */
static int hear_ready(const struct keeper *keeper, const char *name,
                      struct failure *failure)
{
    const struct timeval patience = {.tv_sec = PATIENCE};
    ssize_t got;
    char ready;

    if ( keeper->pid < 0 || setsockopt(keeper->orders, SOL_SOCKET, SO_RCVTIMEO,
                                       &patience, sizeof(patience)) )
        return fail(failure, STATUS_FAILED, "the process %s cannot be made: %s",
                    name, strerror(errno));
    do
        got = recv(keeper->orders, &ready, 1, 0);
    while ( got < 0 && errno == EINTR );
    if ( got == 1 )
        return 0;
    if ( got < 0 && errno == EAGAIN )
        return fail(
            failure, STATUS_FAILED,
            "the process %s was not ready after %d s; dom0 has too little "
            "processor time: raise its weight or its cap, and start again",
            name, PATIENCE);
    return fail(
        failure, STATUS_FAILED,
        "the process %s cannot be shut in; the kernel needs CONFIG_SECCOMP_FILTER and "
        "close_range(2) (Linux 5.9)",
        name);
}

int keeper_start_as(struct keeper *keeper, const struct keeper_kind *kind,
                    struct failure *failure)
{
    int ends[2], status;

    *keeper = (struct keeper){.orders = -1};
    if ( socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) )
        return fail(failure, STATUS_FAILED, "no socket can be made: %s",
                    strerror(errno));
    keeper->pid = fork();
    if ( keeper->pid == 0 )
        keeper_process_run(ends[1], kind);
    close(ends[1]);
    keeper->orders = ends[0];
    status = hear_ready(keeper, kind->name, failure);
    if ( status )
        keeper_stop(keeper);
    return status;
}

int keeper_start(struct keeper *keeper, const struct identity *identity,
                 process_act act, struct failure *failure)
{
    const struct keeper_kind kind = {"xenoprof-keeper", identity, act,
                                     keeper_filter};

    return keeper_start_as(keeper, &kind, failure);
}

void keeper_stop(struct keeper *keeper)
{
    if ( keeper->orders >= 0 )
        close(keeper->orders);
    keeper->orders = -1;
    vector_free(&keeper->ended);
}

bool keeper_is_there(const struct keeper *keeper)
{
    struct pollfd state = {.fd = keeper->orders};

    return keeper->orders >= 0 &&
           (poll(&state, 1, 0) == 0 || !(state.revents & (POLLHUP | POLLERR)));
}

/* Orders of ends that found no room in the socket before. */
static bool send_ends(struct keeper *keeper)
{
    struct ended_processes *ended = &keeper->ended;

    while ( ended->count )
    {
        const struct keeper_order order = {
            .kind = KEEPER_END, .number = ended->items[ended->count - 1]};

        if ( !keeper_order_send(keeper->orders, &order) )
            return false;
        ended->count--;
    }
    return true;
}

static bool order_process(void *self, const struct process_order *order,
                          int socket, uint32_t *number)
{
    struct keeper *keeper = self;
    struct keeper_order sent = {.kind = order->kind,
                                .number = keeper->made + 1,
                                .count = order->count + 1,
                                .files = {socket}};

    for ( unsigned int i = 0; i < order->count; i++ )
        sent.files[i + 1] = order->files[i];
    /* Room to note the end of each process that lives: order_end() cannot
     * fail. */
    if ( !send_ends(keeper) ||
         !vector_reserve(&keeper->ended, keeper->living + 1) ||
         !keeper_order_send(keeper->orders, &sent) )
        return false;
    *number = ++keeper->made;
    keeper->living++;
    return true;
}

static void order_end(void *self, uint32_t number)
{
    struct keeper *keeper = self;
    uint32_t *late = vector_add(&keeper->ended);

    if ( late )
        *late = number;
    keeper->living--;
    send_ends(keeper);
}

struct process_maker keeper_maker(struct keeper *keeper)
{
    return (struct process_maker){order_process, order_end, keeper,
                                  &keeper->work};
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the daemon's loop notices while nothing is recorded. */
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/daemon.h"
#include "cage/keeper.h"
#include "tests/harness.h"

static struct xen xen;
static struct daemon daemon_of_test = {.xen = &xen, .domains_fd = -1};

/* Turns of the loop until it ends, as it does by a signal. */
static void turn(void)
{
    struct epoll_event event = {.events = EPOLLIN,
                                .data.ptr = &daemon_of_test.signals};
    struct failure failure = {0};

    daemon_of_test.epoll = epoll_create1(EPOLL_CLOEXEC);
    daemon_of_test.signals = eventfd(1, EFD_CLOEXEC);
    CHECK(!epoll_ctl(daemon_of_test.epoll, EPOLL_CTL_ADD,
                     daemon_of_test.signals, &event));
    daemon_of_test.ending = false;
    CHECK_EQ(loop_run(&daemon_of_test, &failure), 0);
    close(daemon_of_test.signals);
    close(daemon_of_test.epoll);
}

static void do_nothing(const struct process_order *order, int socket)
{
    (void)order;
    (void)socket;
}

static int shut_nothing(void)
{
    return 0;
}

static void begin_maker(struct keeper *maker)
{
    const struct keeper_kind kind = {"maker", NULL, do_nothing, shut_nothing};
    struct failure failure = {0};

    CHECK_EQ(keeper_start_as(maker, &kind, &failure), 0);
}

static void kill_maker(struct keeper *maker)
{
    CHECK(!kill(maker->pid, SIGKILL));
    CHECK_EQ(waitpid(maker->pid, NULL, 0), maker->pid);
}

TEST(makers_that_end)
{
    struct keeper keeper, porter;

    begin_maker(&keeper);
    begin_maker(&porter);
    daemon_of_test.keeper = keeper.orders;
    daemon_of_test.porter = porter.orders;
    turn();
    CHECK(!xen.keeper_gone && !xen.porter_gone);
    kill_maker(&porter);
    turn();
    CHECK(!xen.keeper_gone && xen.porter_gone);
    CHECK_EQ(daemon_of_test.porter, -1);
    kill_maker(&keeper);
    turn();
    CHECK(xen.keeper_gone);
    keeper_stop(&keeper);
    keeper_stop(&porter);
}

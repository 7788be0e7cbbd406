/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop of the daemon: what it waits for, and what each event leads to. */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/end-signals.h"
#include "daemon.h"
#include "daemon/system/say.h"
#include "waiting.h"
#include "xen-real.h"

/* ns.  Xen wakes us when a record has waited for 100 ms: this is for all that
 * is due without one, signs of life first. */
#define TICK_RUNNING 250000000u
/* While a client waits for the start of a recording, and for its end, which may
 * take minutes: names that are waited for wake us. */
#define TICK_STARTING 10000000u
#define TICK_STOPPING 50000000u

static int say_system(const char *what, struct failure *failure)
{
    return fail(failure, STATUS_NO_DAEMON, "%s: %s", what, strerror(errno));
}

static int watch_input(struct daemon *daemon, int fd, void *what)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};

    return fd < 0 ? 0 : epoll_ctl(daemon->epoll, EPOLL_CTL_ADD, fd, &event);
}

int loop_open(struct daemon *daemon, struct failure *failure)
{
    daemon->epoll = epoll_create1(EPOLL_CLOEXEC);
    daemon->xen->processes = epoll_create1(EPOLL_CLOEXEC);
    daemon->signals = end_signals_open();
    signal(SIGHUP, SIG_IGN);
    daemon->timer = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if ( daemon->epoll < 0 || daemon->signals < 0 || daemon->timer < 0 ||
         daemon->xen->processes < 0 ||
         watch_input(daemon, daemon->xen->processes, &daemon->xen->processes) ||
         watch_input(daemon, daemon->signals, &daemon->signals) ||
         watch_input(daemon, daemon->timer, &daemon->timer) ||
         watch_input(daemon, daemon->server.listener, &daemon->server) ||
         watch_input(daemon, xen_real_wakeup_fd(daemon->xen), daemon->xen) )
        return say_system("the daemon cannot wait for events", failure);
    return 0;
}

static void set_timer(struct daemon *daemon)
{
    struct itimerspec spec = {0};
    long tick = 0;

    if ( daemon->recording.state == RECORDING_RUNNING )
        tick = TICK_RUNNING;
    else if ( daemon->recording.state == RECORDING_STARTING )
        tick = TICK_STARTING;
    else if ( recording_is_open(&daemon->recording) )
        tick = TICK_STOPPING;
    spec.it_value.tv_nsec = spec.it_interval.tv_nsec = tick;
    timerfd_settime(daemon->timer, 0, &spec, NULL);
}

void daemon_work(struct daemon *daemon)
{
    struct recording *recording = &daemon->recording;
    struct failure failure = {0};

    if ( !recording_is_open(recording) )
        return;
    recording_poll(recording, &failure);
    if ( failure.status && recording->state == RECORDING_STARTING )
        recording_abandon_start(recording);
    else if ( failure.status )
        say_error("%s", failure.text);
    request_polled(daemon, failure.status ? &failure : NULL);
}

static void drain_counter(int fd)
{
    uint64_t number;
    ssize_t got = read(fd, &number, sizeof(number));

    (void)got;
}

static void take_client(struct daemon *daemon, struct client *client)
{
    bool whole = client_receive(client);

    /* One that waits can only hang up. */
    if ( whole && !client->then )
        request_run(daemon, client);
}

static void take_connection(struct daemon *daemon)
{
    struct client *client = server_accept(&daemon->server);

    if ( client && watch_input(daemon, client->fd, client) )
        client_drop(client);
}

/* The round that follows looks at all processes. */
static void take_edges(int processes)
{
    struct epoll_event events[16];

    while ( epoll_wait(processes, events, 16, 0) == 16 )
        continue;
}

/* It says nothing: what comes is its end. */
static void lose_maker(struct daemon *daemon, int *maker, bool *gone,
                       const char *sentence)
{
    epoll_ctl(daemon->epoll, EPOLL_CTL_DEL, *maker, NULL);
    *maker = -1;
    *gone = true;
    say_error("%s", sentence);
}

static void take_input(struct daemon *daemon, const void *what)
{
    if ( what == &daemon->signals )
        daemon->ending = true;
    else if ( what == &daemon->timer )
        drain_counter(daemon->timer);
    else if ( what == &daemon->server )
        take_connection(daemon);
    else if ( what == &daemon->keeper )
        lose_maker(daemon, &daemon->keeper, &daemon->xen->keeper_gone,
                   KEEPER_GONE);
    else if ( what == &daemon->porter )
        lose_maker(daemon, &daemon->porter, &daemon->xen->porter_gone,
                   PORTER_GONE);
    else if ( what == &daemon->xen->processes )
        take_edges(daemon->xen->processes);
    else if ( what == daemon->xen )
        xen_real_wakeup_taken(daemon->xen);
    else if ( what == &daemon->domains_fd )
    {
        if ( xen_real_watched(daemon->xen) )
            recording_look_at_domains(&daemon->recording);
    }
    else
        take_client(daemon, (struct client *)what);
}

int loop_run(struct daemon *daemon, struct failure *failure)
{
    struct epoll_event events[CLIENTS_MAX + 8];
    enum recording_state state = RECORDING_NONE;

    if ( watch_input(daemon, daemon->domains_fd, &daemon->domains_fd) ||
         watch_input(daemon, daemon->keeper, &daemon->keeper) ||
         watch_input(daemon, daemon->porter, &daemon->porter) )
        return say_system("the daemon cannot wait for domains", failure);
    for ( ;; )
    {
        int count;

        daemon_work(daemon);
        if ( daemon->ending )
            break;
        if ( state != daemon->recording.state )
            set_timer(daemon);
        state = daemon->recording.state;
        count = epoll_wait(daemon->epoll, events,
                           sizeof(events) / sizeof(events[0]),
                           recording_has_work(&daemon->recording) ? 0 : -1);
        if ( count < 0 && errno != EINTR )
            return say_system("the daemon cannot wait for events", failure);
        for ( int i = 0; i < count; i++ )
            take_input(daemon, events[i].data.ptr);
    }
    /* Nobody waits for a daemon that was told to end. */
    recording_stop_now(&daemon->recording, failure);
    request_polled(daemon, failure->status ? failure : NULL);
    return failure->status;
}

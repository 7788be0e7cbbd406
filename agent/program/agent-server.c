/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A client that does not take an answer is hung up on: nobody waits for it.
 * Who has more connections than there may be loses none, and gets no more.
 */
#include "agent-server.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "cage/notify.h"

/* ms between two looks at what happened, if nobody asks and no ring fills. */
#define LOOK_EVERY 1000

/* The folder is made for the socket if it is not there: others pass. */
static void make_folder(const char *path)
{
    char folder[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
    char *end;

    snprintf(folder, sizeof(folder), "%s", path);
    end = strrchr(folder, '/');
    if ( !end || end == folder )
        return;
    *end = 0;
    mkdir(folder, 0755);
}

/* Returns whether somebody listens there. */
static bool is_taken(const struct sockaddr_un *address)
{
    int fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
    bool taken = fd >= 0 && !connect(fd, (const struct sockaddr *)address,
                                     sizeof(*address));

    if ( fd >= 0 )
        close(fd);
    return taken;
}

/* A path that is mistyped must not cost a file. */
static bool may_replace(const char *path)
{
    struct stat there;

    return lstat(path, &there) || S_ISSOCK(there.st_mode);
}

static bool listen_at(struct agent_server *server,
                      const struct sockaddr_un *address)
{
    mode_t mask;
    int code;

    server->listener = socket(AF_UNIX,
                              SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if ( server->listener < 0 )
        return false;
    unlink(address->sun_path);
    mask = umask(0177);
    code = bind(server->listener, (const struct sockaddr *)address,
                sizeof(*address));
    umask(mask);
    if ( !code && server->user != geteuid() )
        code = lchown(address->sun_path, server->user, (gid_t)-1);
    return !code && !listen(server->listener, ASKERS_MAX);
}

static bool watch_descriptor(const struct agent_server *server, int fd,
                             void *what)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = what};

    return !epoll_ctl(server->epoll, EPOLL_CTL_ADD, fd, &event);
}

int agent_server_open(struct agent_server *server, const char *path, uid_t user,
                      struct failure *failure)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    server->user = user;
    for ( unsigned int i = 0; i < ASKERS_MAX; i++ )
        server->askers[i].fd = -1;
    if ( !*path || strlen(path) >= sizeof(address.sun_path) )
        return fail(failure, STATUS_USAGE,
                    "--socket=%s is not the path of a socket: give one of up "
                    "to %zu letters",
                    path, sizeof(address.sun_path) - 1);
    strcpy(address.sun_path, path);
    make_folder(path);
    if ( is_taken(&address) )
        return fail(failure, STATUS_BUSY,
                    "another opagent answers at %s: end it first, or give "
                    "another --socket",
                    path);
    if ( !may_replace(path) )
        return fail(failure, STATUS_USAGE,
                    "--socket=%s is there and is not a socket: it stays; give "
                    "another path",
                    path);
    server->epoll = epoll_create1(EPOLL_CLOEXEC);
    if ( server->epoll < 0 || !listen_at(server, &address) ||
         !watch_descriptor(server, server->listener, server) )
        return fail(failure, STATUS_FAILED, "the socket %s cannot be made: %s",
                    path, strerror(errno));
    return 0;
}

static bool may_ask(const struct agent_server *server, int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);

    return !getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) &&
           (!peer.uid || peer.uid == server->user);
}

static void take_connection(struct agent_server *server)
{
    int fd = accept4(server->listener, NULL, NULL,
                     SOCK_CLOEXEC | SOCK_NONBLOCK);

    if ( fd < 0 )
        return;
    for ( unsigned int i = 0; may_ask(server, fd) && i < ASKERS_MAX; i++ )
    {
        struct asker *asker = &server->askers[i];

        if ( asker->fd >= 0 )
            continue;
        *asker = (struct asker){.fd = fd};
        if ( watch_descriptor(server, fd, asker) )
            return;
        asker->fd = -1;
        break;
    }
    close(fd);
}

/* One message; others have their turns between two of them. */
static void take_message(struct agent_server *server, struct asker *asker,
                         const struct agent_facts *facts)
{
    bool over = true;
    size_t size = 0;
    /* With MSG_TRUNC a packet that is too long says how long it is. */
    ssize_t got = recv(asker->fd, server->message, sizeof(server->message),
                       MSG_TRUNC);

    if ( got < 0 && (errno == EAGAIN || errno == EINTR) )
        return;
    if ( got > 0 )
        size = answer_message(
            facts, &asker->talk, server->message,
            (size_t)got <= sizeof(server->message) ? (size_t)got : 0,
            server->reply, &over);
    if ( size && send(asker->fd, server->reply, size,
                      MSG_NOSIGNAL | MSG_DONTWAIT) != (ssize_t)size )
        over = true;
    if ( !over )
        return;
    close(asker->fd);
    asker->fd = -1;
}

static bool watch_all(const struct agent_server *server,
                      struct vchan_server *vchan,
                      const struct agent_facts *facts, int signals, bool *ended)
{
    int files = file_names_fd(facts->files);

    return watch_descriptor(server, signals, ended) &&
           (files < 0 || watch_descriptor(server, files, NULL)) &&
           (!facts->events ||
            perf_events_watch(facts->events, server->epoll)) &&
           (vchan->moves.fd < 0 ||
            watch_descriptor(server, vchan->moves.fd, &vchan->moves));
}

/* Only root can grant other memory. */
static void check_moves(struct vchan_server *vchan, struct failure *failure)
{
    if ( xen_moves_happened(&vchan->moves) )
        fail(failure, STATUS_FAILED,
             "this guest was restored or has moved, and dom0 cannot ask until "
             "opagent is started again, which its systemd unit does");
}

static int wait_at_most(struct vchan_server *vchan, bool again)
{
    if ( again )
        return 0;
    return vchan->open ? vchan_server_patience(vchan) : LOOK_EVERY;
}

/* Only root can open the events of a processor, too. */
static void check_processors(const struct agent_facts *facts,
                             struct failure *failure)
{
    if ( facts->cpus && online_cpus_changed(facts->cpus, perf_events_now()) )
        fail(failure, STATUS_FAILED,
             "other processors are online than when opagent began, and what "
             "processes do on new ones is not seen until it is started again, "
             "which its systemd unit does");
}

/* Only root can make another one, too. */
static void check_keeper(const struct agent_server *server,
                         struct failure *failure)
{
    if ( server->keeper && !keeper_is_there(server->keeper) )
        fail(failure, STATUS_FAILED,
             "the process opagent-keeper has ended, and no file is read until "
             "opagent is started again, which its systemd unit does");
}

/* It goes round, which is at least as often as it looks at what happened. */
static void say_alive(const struct agent_server *server, uint64_t *reported)
{
    uint64_t now = monotonic_now();

    if ( now - *reported < LOOK_EVERY * 1000000ull )
        return;
    *reported = now;
    notify_send(server->notify, "WATCHDOG=1");
}

int agent_server_run(struct agent_server *server, struct vchan_server *vchan,
                     const struct agent_facts *facts, int signals,
                     struct failure *failure)
{
    struct epoll_event events[ASKERS_MAX];
    bool again = false, ended = false;
    uint64_t reported = 0;

    notify_send(server->notify, "READY=1");
    ended = !watch_all(server, vchan, facts, signals, &ended);
    while ( !ended && !failure->status )
    {
        int count = epoll_wait(server->epoll, events, ASKERS_MAX,
                               wait_at_most(vchan, again));

        agent_facts_read(facts);
        check_processors(facts, failure);
        check_keeper(server, failure);
        say_alive(server, &reported);
        for ( int i = 0; i < count; i++ )
            if ( events[i].data.ptr == &ended )
                ended = true;
            else if ( events[i].data.ptr == server )
                take_connection(server);
            else if ( events[i].data.ptr == &vchan->moves )
                check_moves(vchan, failure);
            else if ( events[i].data.ptr )
                take_message(server, events[i].data.ptr, facts);
        again = vchan->open && vchan_server_turn(vchan, facts, server->reply);
    }
    return failure->status;
}

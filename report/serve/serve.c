/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Waits for whoever comes next: who asks, the process that reads, the end. */
#include "serve.h"

#include "base/clock.h"
#include "base/end-signals.h"
#include "base/must.h"
#include "report/page/page-file.h"
#include "report/picture/embedded.h"
#include "serve-copies.h"

#include <errno.h>
#include <limits.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#define NS_PER_MS  1000000u
#define POLICY_MAX 1024u

struct serve {
    struct serve_copies copies;
    char token[HTTP_TOKEN + 1];
    char policy[POLICY_MAX];
    int listener, signals;
    unsigned int port;
    int page;
    size_t page_size;
    bool announced; /* who asks is answered */
    bool ended;
    struct http_connection connections[SERVE_CONNECTIONS];
};

/* Who is waited for, in this order; then the connections. */
enum { POLL_SIGNALS, POLL_READER, POLL_LISTENER, POLL_CONNECTIONS };
#define POLLS (POLL_CONNECTIONS + SERVE_CONNECTIONS)

static enum exit_status make_token(struct serve *serve, struct failure *failure)
{
    unsigned char bytes[HTTP_TOKEN / 2];

    if ( getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes) )
        return fail(failure, STATUS_FAILED,
                    "Linux gives no random numbers: %m");
    for ( size_t i = 0; i < sizeof(bytes); i++ )
        sprintf(serve->token + 2 * i, "%02x", bytes[i]);
    return STATUS_DONE;
}

/* The page is the same whatever the session has. */
static enum exit_status make_page(struct serve *serve, struct failure *failure)
{
    FILE *file = fmemopen(serve->policy, sizeof(serve->policy), "w");
    struct stat state;
    FILE *page;

    embedded_put(embedded_served_policy, must(file));
    fclose(file);
    serve->policy[strcspn(serve->policy, "\n")] = '\0';
    strcat(serve->policy, "; frame-ancestors 'none'");
    serve->page = memfd_create("page", MFD_CLOEXEC);
    page = serve->page < 0 ? NULL : fdopen(dup(serve->page), "w");
    if ( page )
        page_file_put_served(page);
    if ( !page || fclose(page) || fstat(serve->page, &state) )
        return fail(failure, STATUS_FAILED, "Linux gives no memory: %m");
    serve->page_size = (size_t)state.st_size;
    return STATUS_DONE;
}

static enum exit_status take_port(struct serve *serve, const char *text,
                                  struct failure *failure)
{
    char *end;
    unsigned long port;

    if ( !text )
        return STATUS_DONE;
    port = strtoul(text, &end, 10);
    if ( *text < '0' || *text > '9' || *end || !port || port > USHRT_MAX )
        return fail(failure, STATUS_RANGE,
                    "--serve=%s: give a port, 1 to 65535, or leave it out for "
                    "one that is free",
                    text);
    serve->port = (unsigned int)port;
    return STATUS_DONE;
}

static enum exit_status serve_listen(struct serve *serve,
                                     struct failure *failure)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET,
        .sin_port = htons((uint16_t)serve->port),
        .sin_addr.s_addr = htonl(INADDR_LOOPBACK),
    };
    socklen_t size = sizeof(address);
    const int on = 1;

    serve->listener = socket(AF_INET,
                             SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if ( serve->listener < 0 ||
         setsockopt(serve->listener, SOL_SOCKET, SO_REUSEADDR, &on,
                    sizeof(on)) ||
         bind(serve->listener, (struct sockaddr *)&address, size) ||
         listen(serve->listener, SERVE_CONNECTIONS) ||
         getsockname(serve->listener, (struct sockaddr *)&address, &size) )
        return fail(failure, STATUS_FAILED,
                    "--serve: port %u of 127.0.0.1 cannot be used: %m: give "
                    "another, or leave it out for one that is free",
                    serve->port);
    serve->port = ntohs(address.sin_port);
    return STATUS_DONE;
}

static enum exit_status serve_open(struct serve *serve,
                                   const struct serve_wanted *wanted,
                                   struct failure *failure)
{
    serve_copies_init(&serve->copies, wanted);
    serve->listener = serve->signals = serve->page = -1;
    for ( size_t i = 0; i < SERVE_CONNECTIONS; i++ )
        serve->connections[i].state = HTTP_ENDED;
    if ( take_port(serve, wanted->port, failure) ||
         make_token(serve, failure) || make_page(serve, failure) ||
         serve_listen(serve, failure) )
        return failure->status;
    serve->signals = end_signals_open();
    if ( serve->signals < 0 )
        return fail(failure, STATUS_FAILED, "Linux gives no signals: %m");
    return STATUS_DONE;
}

static void serve_close(struct serve *serve)
{
    const int files[] = {serve->listener, serve->signals, serve->page};

    for ( size_t i = 0; i < SERVE_CONNECTIONS; i++ )
        http_connection_end(&serve->connections[i]);
    for ( size_t i = 0; i < sizeof(files) / sizeof(*files); i++ )
        if ( files[i] >= 0 )
            close(files[i]);
    serve_copies_free(&serve->copies);
}

static void announce(struct serve *serve)
{
    char host[HOST_NAME_MAX + 1] = "HOST";

    gethostname(host, sizeof(host) - 1);
    printf(
        "http://127.0.0.1:%u/%s/\n"
        "from elsewhere: ssh -N -L %u:127.0.0.1:%u %s, and the same address\n"
        "Ctrl-C ends it.\n",
        serve->port, serve->token, serve->port, serve->port, host);
    fflush(stdout);
    serve->announced = true;
}

/* A place for who comes: one that is free, or of who has taken longest to say
 * what is wanted.  NULL: all are at work. */
static struct http_connection *place_for_next(struct serve *serve)
{
    struct http_connection *best = NULL;

    for ( size_t i = 0; i < SERVE_CONNECTIONS; i++ )
    {
        struct http_connection *one = &serve->connections[i];

        if ( one->state == HTTP_ENDED )
            return one;
        if ( (one->state == HTTP_READS || one->state == HTTP_DRAINS) &&
             (!best || one->deadline < best->deadline) )
            best = one;
    }
    return best;
}

static void take_next(struct serve *serve, uint64_t now)
{
    struct http_connection *place = place_for_next(serve);
    const int socket = place ? accept4(serve->listener, NULL, NULL,
                                       SOCK_NONBLOCK | SOCK_CLOEXEC)
                             : -1;

    if ( socket < 0 )
        return;
    http_connection_end(place);
    http_connection_begin(place, socket, now);
}

static void answer_waiting(struct serve *serve, struct http_connection *one,
                           uint64_t now)
{
    struct http_answer answer = {.status = 200,
                                 .policy = serve->policy,
                                 .type = "text/html; charset=utf-8",
                                 .file = serve->page,
                                 .size = serve->page_size};

    if ( !one->wanted.data ||
         serve_copies_ask(&serve->copies, &one->wanted, now, &answer) )
        http_connection_answer(one, &answer, now);
}

static void answer_all(struct serve *serve, uint64_t now)
{
    for ( size_t i = 0; i < SERVE_CONNECTIONS; i++ )
        if ( serve->connections[i].state == HTTP_WAITS )
            answer_waiting(serve, &serve->connections[i], now);
}

/* ms until something is due without anybody's doing; -1: nothing is. */
static int time_left(const struct serve *serve, uint64_t now)
{
    uint64_t next = UINT64_MAX;

    for ( size_t i = 0; i < SERVE_CONNECTIONS; i++ )
    {
        const struct http_connection *one = &serve->connections[i];
        const bool waits = one->state == HTTP_WAITS;
        const uint64_t due = waits ? serve->copies.next : one->deadline;

        if ( one->state != HTTP_ENDED &&
             !(waits && serve->copies.reader.process) && due < next )
            next = due;
    }
    if ( next == UINT64_MAX )
        return -1;
    return next <= now ? 0 : (int)((next - now) / NS_PER_MS) + 1;
}

static void find_polls(struct serve *serve, struct pollfd polls[POLLS])
{
    const bool reads = serve->copies.reader.process;

    polls[POLL_SIGNALS] = (struct pollfd){.fd = serve->signals,
                                          .events = POLLIN};
    polls[POLL_READER] = (struct pollfd){
        .fd = reads ? serve->copies.reader.said : -1, .events = POLLIN};
    polls[POLL_LISTENER] = (struct pollfd){
        .fd = serve->announced && place_for_next(serve) ? serve->listener : -1,
        .events = POLLIN};
    for ( size_t i = 0; i < SERVE_CONNECTIONS; i++ )
    {
        const struct http_connection *one = &serve->connections[i];

        polls[POLL_CONNECTIONS + i] = (struct pollfd){
            .fd = one->state == HTTP_ENDED ? -1 : one->socket,
            .events = http_connection_events(one)};
    }
}

/* What the first reading says is said at once. */
static enum exit_status take_reading(struct serve *serve, uint64_t now,
                                     struct failure *failure)
{
    struct serve_reading made;

    if ( !serve_copies_go(&serve->copies, now, &made) || serve->announced )
        return STATUS_DONE;
    if ( made.status )
        return fail(failure, made.status, "%s", made.sentence);
    announce(serve);
    return STATUS_DONE;
}

static enum exit_status serve_turn(struct serve *serve, struct failure *failure)
{
    struct pollfd polls[POLLS];
    uint64_t now;

    find_polls(serve, polls);
    if ( poll(polls, POLLS, time_left(serve, monotonic_now())) < 0 )
        return errno == EINTR ? STATUS_DONE
                              : fail(failure, STATUS_FAILED, "poll: %m");
    now = monotonic_now();
    serve->ended = polls[POLL_SIGNALS].revents;
    if ( serve->ended ||
         (polls[POLL_READER].revents && take_reading(serve, now, failure)) )
        return failure->status;
    for ( size_t i = 0; i < SERVE_CONNECTIONS; i++ )
    {
        struct http_connection *one = &serve->connections[i];

        if ( one->state != HTTP_ENDED &&
             (polls[POLL_CONNECTIONS + i].revents ||
              (one->state != HTTP_WAITS && now >= one->deadline)) )
            http_connection_go(one, serve->token, now);
    }
    answer_all(serve, now);
    if ( polls[POLL_LISTENER].revents )
        take_next(serve, now);
    return STATUS_DONE;
}

enum exit_status serve_run(const struct serve_wanted *wanted,
                           struct failure *failure)
{
    static struct serve serve; /* large */
    const struct http_wanted usual = {.data = true};
    struct http_answer unread;

    if ( !serve_open(&serve, wanted, failure) &&
         serve_copies_ask(&serve.copies, &usual, monotonic_now(), &unread) )
        fail(failure, STATUS_FAILED, "%s", unread.text);
    while ( !failure->status && !serve.ended )
        serve_turn(&serve, failure);
    serve_close(&serve);
    return failure->status;
}

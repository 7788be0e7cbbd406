/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One request to the daemon, and its answer line by line. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "base/scope.h"
#include "base/text.h"
#include "base/wrap.h"
#include "base/vector.h"
#include "client.h"
#include "control/number-set.h"
#include "control/protocol.h"

/* Returns a connection, or -1 with errno if no daemon listens. */
static int connect_daemon(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd;

    if ( strlen(control_path()) >= sizeof(address.sun_path) )
    {
        errno = ENAMETOOLONG;
        return -1;
    }
    strcpy(address.sun_path, control_path());
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if ( fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) )
    {
        close(fd);
        fd = -1;
    }
    return fd;
}

bool client_daemon_runs(void)
{
    int fd SCOPE_CLOSE = connect_daemon();

    return fd >= 0;
}

static bool send_all(int fd, const char *text)
{
    size_t left = strlen(text);

    while ( left )
    {
        ssize_t sent = send(fd, text, left, MSG_NOSIGNAL);

        if ( sent < 0 && errno == EINTR )
            continue;
        if ( sent <= 0 )
            return false;
        text += sent;
        left -= (size_t)sent;
    }
    return true;
}

static const struct root_folders *attached;

void client_attach(const struct root_folders *folders)
{
    attached = folders;
}

/* With the first byte, since a stream has no packets. */
static bool send_folders(int fd, const struct root_folders *folders,
                         const char *first)
{
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof(folders->fds))];
    } control = {0};
    struct iovec byte = {(char *)first, 1};
    struct msghdr header = {.msg_iov = &byte,
                            .msg_iovlen = 1,
                            .msg_control = control.room,
                            .msg_controllen = sizeof(control.room)};
    struct cmsghdr *part = CMSG_FIRSTHDR(&header);
    const size_t size = folders->count * sizeof(int);

    part->cmsg_level = SOL_SOCKET;
    part->cmsg_type = SCM_RIGHTS;
    part->cmsg_len = CMSG_LEN(size);
    memcpy(CMSG_DATA(part), folders->fds, size);
    header.msg_controllen = CMSG_SPACE(size);
    return sendmsg(fd, &header, MSG_NOSIGNAL) == 1;
}

static bool send_request(int fd, const char *text)
{
    const struct root_folders *folders = attached;

    attached = NULL;
    if ( !folders || !folders->count )
        return send_all(fd, text);
    return send_folders(fd, folders, text) && send_all(fd, text + 1);
}

/* Hands each whole line of progress on.  Returns the bytes of whole lines. */
static size_t watch_lines(const struct client_watch *watch, char *text,
                          size_t seen, size_t count)
{
    char *end;

    while ( (end = memchr(text + seen, '\n', count - seen)) )
    {
        *end = '\0';
        if ( watch && line_is(text + seen, "progress") )
            watch->progress(watch->self, text + seen);
        *end = '\n';
        seen = (size_t)(end + 1 - text);
    }
    return seen;
}

/* Reads until the daemon closes the connection, and puts a zero behind the
 * text.  Returns false if there is no memory. */
static bool receive_all(int fd, const struct client_watch *watch,
                        struct reply *ret)
{
    struct {
        VECTOR(char);
    } text = {0};
    size_t seen = 0;
    bool interrupted;
    ssize_t got;

    do
    {
        if ( !vector_reserve(&text, 4096) )
        {
            vector_free(&text);
            return false;
        }
        got = recv(fd, text.items + text.count, text.room - text.count - 1, 0);
        interrupted = got < 0 && errno == EINTR;
        if ( got > 0 )
            text.count += (size_t)got;
        seen = watch_lines(watch, text.items, seen, text.count);
        if ( watch )
            watch->woken(watch->self);
    } while ( got > 0 || interrupted );
    text.items[text.count] = '\0';
    ret->text = text.items;
    ret->end = text.items + text.count;
    return true;
}

/* Takes the last line, ok or error, off the reply.  Returns false if there is
 * no such line. */
static bool take_result(struct reply *reply, struct failure *failure)
{
    char *last = reply->text;
    uint64_t status;
    char number[8];

    for ( const char *line = reply_next(reply, NULL); line;
          line = reply_next(reply, line) )
        last = (char *)line;
    reply->end = last;
    if ( strcmp(last, "ok") == 0 )
        return true;
    if ( sscanf(last, "error %7[0-9]", number) != 1 ||
         !number_parse(number, 1, 255, &status) )
        return false;
    if ( !line_get_text(last, "text", failure->text, sizeof(failure->text)) )
        strcpy(failure->text, "the daemon failed and did not say why");
    failure->status = (int)status;
    return true;
}

int client_ask(const char *request, struct reply *ret, struct failure *failure)
{
    return client_ask_and_watch(request, NULL, ret, failure);
}

void client_send(const char *request)
{
    int fd SCOPE_CLOSE = connect_daemon();

    if ( fd >= 0 && send_all(fd, request) )
        send_all(fd, "\n");
}

int client_ask_and_watch(const char *request, const struct client_watch *watch,
                         struct reply *ret, struct failure *failure)
{
    int fd SCOPE_CLOSE = connect_daemon();
    bool answered;

    *ret = (struct reply){0};
    if ( strlen(request) + 1 >= LINE_MAX_BYTES )
        return fail(failure, STATUS_RANGE,
                    "the options are longer than %d bytes; name fewer domains",
                    LINE_MAX_BYTES);
    if ( fd < 0 )
        return fail(failure, STATUS_NO_DAEMON,
                    "xenoprofd does not answer at %s: %s", control_path(),
                    strerror(errno));
    answered = send_request(fd, request) && send_all(fd, "\n") &&
               receive_all(fd, watch, ret) && ret->text < ret->end;
    for ( char *at = ret->text; at < ret->end; at++ )
        if ( *at == '\n' )
            *at = '\0';
    if ( !answered || !take_result(ret, failure) )
        return fail(failure, STATUS_NO_DAEMON,
                    "xenoprofd ended before it answered; the system log may "
                    "say why, and the same --start continues the session");
    return failure->status;
}

void reply_free(struct reply *reply)
{
    free(reply->text);
    *reply = (struct reply){0};
}

const char *reply_next(const struct reply *reply, const char *line)
{
    const char *next = line ? line + strlen(line) + 1 : reply->text;

    return next && next < reply->end ? next : NULL;
}

void client_say(FILE *file, const char *what, const char *text)
{
    char *clean SCOPE_FREE = text_clean(text);

    fprintf(file, "xenopctl: %s", what);
    if ( clean )
        wrap_print(file, clean, strlen("xenopctl: ") + strlen(what),
                   wrap_width(file));
    fputc('\n', file);
}

void reply_say(const struct reply *reply)
{
    char text[LINE_MAX_BYTES];

    for ( const char *line = reply_next(reply, NULL); line;
          line = reply_next(reply, line) )
        if ( !line_get_text(line, "text", text, sizeof(text)) )
            continue;
        else if ( line_is(line, "already") )
            client_say(stdout, "", text);
        else if ( line_is(line, "warning") )
            client_say(stderr, "note: ", text);
        else if ( line_is(line, "trouble") )
            client_say(stderr, "trouble: ", text);
}

void client_wait_for_end(void)
{
    char path[256];
    int fd SCOPE_CLOSE = -1;

    snprintf(path, sizeof(path), "%s.lock", control_path());
    /* The folder belongs to the daemon's user: only its lock is opened. */
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    /* The daemon's lock goes with its process, after its mappings. */
    while ( fd >= 0 && flock(fd, LOCK_SH) && errno == EINTR )
        continue;
}

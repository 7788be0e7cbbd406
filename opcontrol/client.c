/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/un.h>

#include "client.h"
#include "control/protocol.h"
#include "control/number-set.h"
#include "base/scope.h"

/* A connection, or -1: no daemon. */
static int connect_daemon(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd;

    if ( strlen(control_path()) >= sizeof(address.sun_path) )
        return -1;
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

/* All that comes, with a zero behind it; NULL if there is no memory. */
static char *receive_all(int fd, size_t *size)
{
    char *text = NULL;
    size_t room = 0;

    *size = 0;
    for ( ;; )
    {
        ssize_t got;

        if ( *size + 1 >= room )
        {
            char *grown = realloc(text, room = room * 2 + 4096);

            if ( !grown )
                break;
            text = grown;
        }
        got = recv(fd, text + *size, room - *size - 1, 0);
        if ( got < 0 && errno == EINTR )
            continue;
        if ( got <= 0 )
        {
            text[*size] = '\0';
            return text;
        }
        *size += (size_t)got;
    }
    free(text);
    return NULL;
}

/* The last line says how it went; it is cut off.  False: it is not there. */
static bool take_verdict(struct reply *reply, struct failure *failure)
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

static int talk(int fd, const char *request, struct reply *ret,
                struct failure *failure)
{
    size_t size = 0;

    if ( send_all(fd, request) && send_all(fd, "\n") )
        ret->text = receive_all(fd, &size);
    ret->end = ret->text + size;
    for ( char *at = ret->text; at && at < ret->end; at++ )
        if ( *at == '\n' )
            *at = '\0';
    if ( !ret->text || size == 0 || !take_verdict(ret, failure) )
        return fail(failure, STATUS_NO_DAEMON,
                    "xenoprofd ended before it answered; the system log may "
                    "say why, and the same --start continues the session");
    return failure->status;
}

int client_ask(const char *request, struct reply *ret, struct failure *failure)
{
    int fd SCOPE_CLOSE = connect_daemon();

    *ret = (struct reply){0};
    if ( strlen(request) + 1 >= LINE_MAX_BYTES )
        return fail(failure, STATUS_RANGE,
                    "the options are longer than %d bytes; name fewer domains",
                    LINE_MAX_BYTES);
    if ( fd < 0 )
        return fail(failure, STATUS_NO_DAEMON,
                    "xenoprofd does not answer at %s: %s", control_path(),
                    strerror(errno));
    return talk(fd, request, ret, failure);
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

bool reply_text(const struct reply *reply, const char *word, char *text,
                unsigned long size)
{
    for ( const char *line = reply_next(reply, NULL); line;
          line = reply_next(reply, line) )
        if ( line_is(line, word) )
            return line_get_text(line, "text", text, size);
    return false;
}

void reply_say(const struct reply *reply)
{
    char text[LINE_MAX_BYTES];

    for ( const char *line = reply_next(reply, NULL); line;
          line = reply_next(reply, line) )
        if ( !line_get_text(line, "text", text, sizeof(text)) )
            continue;
        else if ( line_is(line, "already") )
            printf("xenopctl: %s\n", text);
        else if ( line_is(line, "warning") || line_is(line, "trouble") )
            fprintf(stderr, "xenopctl: %s: %s\n",
                    line_is(line, "warning") ? "note" : "trouble", text);
}

void client_wait_for_end(void)
{
    char path[256];
    int fd SCOPE_CLOSE = -1;

    snprintf(path, sizeof(path), "%s.lock", control_path());
    fd = open(path, O_RDWR | O_CLOEXEC);
    /* The lock goes with the process, after its mappings. */
    while ( fd >= 0 && flock(fd, LOCK_SH) && errno == EINTR )
        continue;
}

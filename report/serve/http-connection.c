/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "http-connection.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/socket.h>
#include <unistd.h>

/* Of answers that are no page. */
#define POLICY_NONE "default-src 'none'; frame-ancestors 'none'"

void http_connection_begin(struct http_connection *connection, int socket,
                           uint64_t now)
{
    *connection = (struct http_connection){
        .socket = socket, .body = -1, .deadline = now + HTTP_ASKING};
}

void http_connection_end(struct http_connection *connection)
{
    if ( connection->state == HTTP_ENDED )
        return;
    close(connection->socket);
    if ( connection->body >= 0 )
        close(connection->body);
    connection->state = HTTP_ENDED;
}

short http_connection_events(const struct http_connection *connection)
{
    static const short events[] = {
        [HTTP_READS] = POLLIN,
        [HTTP_WRITES] = POLLOUT,
        [HTTP_DRAINS] = POLLIN,
        [HTTP_WAITS] = POLLRDHUP,
    };

    return connection->state == HTTP_ENDED ? 0 : events[connection->state];
}

static bool is_again(void)
{
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}

static void put_head(struct http_connection *connection,
                     const struct http_answer *answer)
{
    const bool is_file = answer->size;
    const char *text = answer->text ? answer->text
                                    : http_status_text(answer->status);
    char more[80] = "";
    int length;

    if ( answer->number )
        snprintf(more, sizeof(more), "ETag: \"%llu\"\r\nAge: %llu\r\n",
                 (unsigned long long)answer->number,
                 (unsigned long long)answer->age);
    length = snprintf(
        connection->head, sizeof(connection->head),
        "HTTP/1.1 %u %s\r\n"
        "Content-Type: %s\r\n"
        "Content-Length: %zu\r\n"
        "Content-Security-Policy: %s\r\n"
        "%s%s"
        "Cache-Control: no-store\r\n"
        "X-Content-Type-Options: nosniff\r\n"
        "X-Frame-Options: DENY\r\n"
        "Referrer-Policy: no-referrer\r\n"
        "Cross-Origin-Resource-Policy: same-origin\r\n"
        "Cross-Origin-Opener-Policy: same-origin\r\n"
        "Connection: close\r\n"
        "\r\n%s",
        answer->status, http_status_text(answer->status),
        answer->type ? answer->type : "text/plain; charset=utf-8",
        is_file                 ? answer->size
        : answer->status == 304 ? 0
                                : strlen(text),
        answer->policy ? answer->policy : POLICY_NONE, more,
        answer->status == 405 ? "Allow: GET, HEAD\r\n" : "",
        is_file || connection->wanted.head || answer->status == 304 ? ""
                                                                    : text);
    if ( length < 0 || (size_t)length >= sizeof(connection->head) )
        http_connection_end(connection);
    else
        connection->head_size = (size_t)length;
}

/* Returns false if the socket takes no more now, or never. */
static bool send_head(struct http_connection *connection)
{
    while ( connection->head_sent < connection->head_size )
    {
        const ssize_t sent = send(
            connection->socket, connection->head + connection->head_sent,
            connection->head_size - connection->head_sent, MSG_NOSIGNAL);

        if ( sent < 0 && !is_again() )
            http_connection_end(connection);
        if ( sent < 0 )
            return false;
        connection->head_sent += (size_t)sent;
    }
    return true;
}

/* The same. */
static bool send_body(struct http_connection *connection)
{
    while ( connection->left )
    {
        const ssize_t sent = sendfile(connection->socket, connection->body,
                                      &connection->at, connection->left);

        if ( !sent || (sent < 0 && !is_again()) )
            http_connection_end(connection);
        if ( sent <= 0 )
            return false;
        connection->left -= (size_t)sent;
    }
    return true;
}

/* What the other side still sends is read, so that it gets the answer: an end
 * with bytes unread takes that away. */
static void write_on(struct http_connection *connection, uint64_t now)
{
    const size_t before = connection->head_sent;
    const off_t at = connection->at;

    if ( send_head(connection) && send_body(connection) )
    {
        shutdown(connection->socket, SHUT_WR);
        connection->state = HTTP_DRAINS;
        connection->deadline = now + HTTP_ENDING;
    }
    else if ( connection->head_sent > before || connection->at > at )
        connection->deadline = now + HTTP_STALLED;
}

void http_connection_answer(struct http_connection *connection,
                            const struct http_answer *answer, uint64_t now)
{
    connection->state = HTTP_WRITES;
    connection->deadline = now + HTTP_STALLED;
    put_head(connection, answer);
    if ( connection->state == HTTP_ENDED )
        return;
    if ( answer->size && !connection->wanted.head )
    {
        connection->body = fcntl(answer->file, F_DUPFD_CLOEXEC, 0);
        connection->left = answer->size;
    }
    write_on(connection, now);
}

static void refuse(struct http_connection *connection, unsigned int status,
                   uint64_t now)
{
    const struct http_answer answer = {.status = status};

    http_connection_answer(connection, &answer, now);
}

static void read_on(struct http_connection *connection, const char *token,
                    uint64_t now)
{
    struct http_request request;
    const ssize_t got = recv(connection->socket,
                             connection->request + connection->used,
                             HTTP_REQUEST_MAX - connection->used, 0);
    unsigned int status;

    if ( got <= 0 )
    {
        if ( !got || !is_again() )
            http_connection_end(connection);
        return;
    }
    connection->used += (size_t)got;
    status = http_request_parse(connection->request, connection->used,
                                &request);
    if ( status == 200 )
        status = http_request_allow(&request, token, &connection->wanted);
    if ( status == 200 )
        connection->state = HTTP_WAITS;
    else if ( status )
        refuse(connection, status, now);
}

static void drain(struct http_connection *connection)
{
    char bytes[4096];
    const ssize_t got = recv(connection->socket, bytes, sizeof(bytes), 0);

    if ( !got || (got < 0 && !is_again()) )
        http_connection_end(connection);
}

void http_connection_go(struct http_connection *connection, const char *token,
                        uint64_t now)
{
    if ( connection->state != HTTP_WAITS && now >= connection->deadline )
        http_connection_end(connection);
    else if ( connection->state == HTTP_READS )
        read_on(connection, token, now);
    else if ( connection->state == HTTP_WAITS )
        http_connection_end(connection); /* who asked hung up */
    else if ( connection->state == HTTP_WRITES )
        write_on(connection, now);
    else if ( connection->state == HTTP_DRAINS )
        drain(connection);
}

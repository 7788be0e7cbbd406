/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The control socket: a lock, a listener, and clients with one request each. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/own-folder.h"
#include "server.h"

/* A client that does not read its reply must not hold up the drain. */
#define REPLY_PATIENCE 2 /* seconds */

static int fail_control_socket(const char *path, struct failure *failure)
{
    return fail(failure, STATUS_NO_DAEMON,
                "the control socket %s cannot be made: %s", path,
                strerror(errno));
}

/* One daemon for a socket: the lock ends with the process, however it dies,
 * the socket's name does not. */
static int lock_control_socket(struct server *server, struct failure *failure)
{
    char path[sizeof(server->path) + 8];

    snprintf(path, sizeof(path), "%s.lock", server->path);
    server->lock = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if ( server->lock < 0 )
        return fail_control_socket(path, failure);
    if ( flock(server->lock, LOCK_EX | LOCK_NB) == 0 )
        return 0;
    return fail(failure, STATUS_BUSY,
                "another xenoprofd is running; xenopctl --shutdown ends it");
}

/* Whoever else may write there has clients talk to him, and has root make files
 * where a link leads. */
static int check_folder(const char *folder, uid_t owner,
                        struct failure *failure)
{
    struct stat status;

    if ( lstat(folder, &status) )
        return fail_control_socket(folder, failure);
    if ( S_ISDIR(status.st_mode) &&
         (is_owned(&status, geteuid()) || is_owned(&status, owner)) )
        return 0;
    return fail(failure, STATUS_NO_DAEMON,
                "%s, where the control socket is to be, must be a folder of "
                "root or the daemon's user, and nobody else may write to it; "
                "remove it, or correct its owner and mode",
                folder);
}

static int make_folder(const char *path, uid_t owner, struct failure *failure)
{
    char *folder = strdup(path);
    char *end = folder ? strrchr(folder, '/') : NULL;
    int status = 0;

    if ( end && end != folder )
    {
        *end = '\0';
        if ( mkdir(folder, 0700) && errno != EEXIST )
            status = fail_control_socket(path, failure);
        else
            status = check_folder(folder, owner, failure);
    }
    free(folder);
    return status;
}

static int listen_at(struct server *server, struct failure *failure)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    mode_t mask;
    int code;

    strcpy(address.sun_path, server->path);
    server->listener = socket(AF_UNIX,
                              SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if ( server->listener < 0 )
        return fail_control_socket(server->path, failure);
    unlink(server->path);
    mask = umask(0177);
    code = bind(server->listener, (struct sockaddr *)&address, sizeof(address));
    umask(mask);
    if ( code || listen(server->listener, CLIENTS_MAX) )
        return fail_control_socket(server->path, failure);
    return 0;
}

int server_open(struct server *server, const char *path, uid_t owner,
                struct failure *failure)
{
    int status;

    memset(server, 0, sizeof(*server));
    server->listener = server->lock = -1;
    for ( size_t i = 0; i < CLIENTS_MAX; i++ )
        server->clients[i].fd = -1;
    if ( strlen(path) >= sizeof(server->path) )
        return fail(failure, STATUS_NO_DAEMON,
                    "the control socket's path is too long");
    strcpy(server->path, path);
    status = make_folder(path, owner, failure);
    if ( !status )
        status = lock_control_socket(server, failure);
    if ( !status )
        status = listen_at(server, failure);
    if ( status )
        server_close(server);
    return status;
}

void server_close(struct server *server)
{
    for ( size_t i = 0; i < CLIENTS_MAX; i++ )
        client_drop(&server->clients[i]);
    if ( server->listener >= 0 )
    {
        unlink(server->path);
        close(server->listener);
    }
    if ( server->lock >= 0 )
        close(server->lock);
    server->listener = server->lock = -1;
}

static bool is_allowed(int fd)
{
    struct ucred peer;
    socklen_t size = sizeof(peer);

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == 0 || peer.uid == geteuid());
}

struct client *server_accept(struct server *server)
{
    int fd = accept4(server->listener, NULL, NULL,
                     SOCK_CLOEXEC | SOCK_NONBLOCK);
    struct timeval patience = {.tv_sec = REPLY_PATIENCE};

    if ( fd < 0 )
        return NULL;
    for ( size_t i = 0; is_allowed(fd) && i < CLIENTS_MAX; i++ )
    {
        struct client *client = &server->clients[i];

        if ( client->fd >= 0 )
            continue;
        client->reply = open_memstream(&client->reply_text,
                                       &client->reply_size);
        if ( !client->reply )
            break;
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof(patience));
        client->fd = fd;
        client->received = 0;
        client->then = NULL;
        return client;
    }
    close(fd);
    return NULL;
}

void client_drop(struct client *client)
{
    if ( client->fd < 0 )
        return;
    fclose(client->reply);
    free(client->reply_text);
    client->reply = NULL;
    client->reply_text = NULL;
    root_folders_close(&client->folders);
    close(client->fd);
    client->fd = -1;
    client->then = NULL;
}

/* Takes the descriptors of a part of a message; those that find no room are
 * closed. */
static void take_folders(struct root_folders *folders,
                         const struct cmsghdr *part)
{
    size_t count = (part->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    int fds[DOMAIN_PAIRS_MAX];

    memcpy(fds, CMSG_DATA(part), count * sizeof(int));
    for ( size_t i = 0; i < count; i++ )
        if ( folders->count < DOMAIN_PAIRS_MAX )
            folders->fds[folders->count++] = fds[i];
        else
            close(fds[i]);
}

static ssize_t receive_from_client(struct client *client, void *at, size_t room)
{
    union {
        struct cmsghdr align;
        char room[CMSG_SPACE(sizeof(client->folders.fds))];
    } control;
    struct iovec bytes = {at, room};
    struct msghdr header = {.msg_iov = &bytes,
                            .msg_iovlen = 1,
                            .msg_control = control.room,
                            .msg_controllen = sizeof(control.room)};
    ssize_t got = recvmsg(client->fd, &header, MSG_CMSG_CLOEXEC);
    const struct cmsghdr *part = got < 0 ? NULL : CMSG_FIRSTHDR(&header);

    if ( part && part->cmsg_level == SOL_SOCKET &&
         part->cmsg_type == SCM_RIGHTS )
        take_folders(&client->folders, part);
    return got;
}

bool client_receive(struct client *client)
{
    size_t room = sizeof(client->request) - client->received;
    ssize_t got = receive_from_client(client,
                                      client->request + client->received, room);
    char *end;

    if ( got < 0 && (errno == EAGAIN || errno == EINTR) )
        return false;
    if ( got <= 0 )
    {
        client_drop(client);
        return false;
    }
    client->received += (size_t)got;
    end = memchr(client->request, '\n', client->received);
    if ( end )
        *end = '\0';
    else if ( client->received == sizeof(client->request) )
        client_drop(client);
    return end != NULL;
}

static void send_all(int fd, const char *text, size_t size)
{
    int flags = fcntl(fd, F_GETFL);

    /* The send timeout counts for blocking sockets only. */
    fcntl(fd, F_SETFL, flags & ~O_NONBLOCK);
    while ( size )
    {
        ssize_t sent = send(fd, text, size, MSG_NOSIGNAL);

        if ( sent < 0 && errno == EINTR )
            continue;
        if ( sent <= 0 )
            return;
        text += sent;
        size -= (size_t)sent;
    }
}

void client_progress(struct client *client, const char *line)
{
    size_t size = strlen(line);
    ssize_t sent = send(client->fd, line, size, MSG_NOSIGNAL | MSG_DONTWAIT);

    /* What follows would begin in the middle of a line. */
    if ( sent > 0 && (size_t)sent < size )
        client_drop(client);
}

void client_finish(struct client *client, const struct failure *failure)
{
    if ( client->fd < 0 )
        return;
    if ( failure && failure->status )
    {
        fprintf(client->reply, "error %d", failure->status);
        line_text(client->reply, "text", failure->text);
        line_end(client->reply);
    }
    else
        fputs("ok\n", client->reply);
    if ( fflush(client->reply) == 0 )
        send_all(client->fd, client->reply_text, client->reply_size);
    client_drop(client);
}

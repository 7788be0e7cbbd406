/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A datagram to systemd's socket, if there is one. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "notify.h"

int notify_open(void)
{
    const char *path = getenv("NOTIFY_SOCKET");
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    socklen_t size;
    int fd;

    if ( !path || !*path || strlen(path) >= sizeof(address.sun_path) )
        return -1;
    strcpy(address.sun_path, path);
    size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + strlen(path));
    /* '@' stands for the zero that begins an abstract name. */
    if ( address.sun_path[0] == '@' )
        address.sun_path[0] = '\0';
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if ( fd >= 0 && connect(fd, (struct sockaddr *)&address, size) )
    {
        close(fd);
        fd = -1;
    }
    return fd;
}

void notify_send(int fd, const char *text)
{
    if ( fd >= 0 && send(fd, text, strlen(text), MSG_NOSIGNAL) < 0 )
        return;
}

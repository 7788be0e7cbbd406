/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "cage/notify.h"
#include "tests/harness.h"

/* systemd's end: a socket of this name, '@' for an abstract one. */
static int listen_at(const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

    strcpy(address.sun_path, name);
    if ( name[0] == '@' )
        address.sun_path[0] = '\0';
    CHECK_EQ(bind(fd, (struct sockaddr *)&address,
                  (socklen_t)(offsetof(struct sockaddr_un, sun_path) +
                              strlen(name))),
             0);
    return fd;
}

static void check_at(const char *name)
{
    int systemd = listen_at(name), fd;
    char text[64];
    ssize_t got;

    CHECK_EQ(setenv("NOTIFY_SOCKET", name, 1), 0);
    fd = notify_open();
    CHECK(fd >= 0);
    notify_send(fd, "READY=1");
    got = recv(systemd, text, sizeof(text) - 1, 0);
    CHECK(got > 0);
    text[got] = '\0';
    CHECK_TEXT(text, "READY=1");
    close(fd);
    close(systemd);
}

TEST(notify_a_socket_with_a_path)
{
    char dir[] = "/tmp/xenoprof-test-XXXXXX", path[64];

    CHECK(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/notify", dir);
    check_at(path);
    unlink(path);
    rmdir(dir);
}

TEST(notify_an_abstract_socket)
{
    char name[64];

    snprintf(name, sizeof(name), "@xenoprof-test-%d", (int)getpid());
    check_at(name);
}

TEST(notify_nobody)
{
    CHECK_EQ(unsetenv("NOTIFY_SOCKET"), 0);
    CHECK_EQ(notify_open(), -1);
    notify_send(-1, "READY=1");
    CHECK_EQ(setenv("NOTIFY_SOCKET", "/nonexistent/socket", 1), 0);
    CHECK_EQ(notify_open(), -1);
}

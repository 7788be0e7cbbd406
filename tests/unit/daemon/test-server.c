/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include "daemon/server.h"
#include "opcontrol/client.h"
#include "tests/harness.h"

static struct failure failure;
static struct server server;
static char dir[64], path[100];

static void open_server(void)
{
    strcpy(dir, "/tmp/xenoprof-test-XXXXXX");
    CHECK(mkdtemp(dir));
    snprintf(path, sizeof(path), "%s/run/control", dir);
    CHECK_EQ(server_open(&server, path, geteuid(), &failure), 0);
}

static void close_server(void)
{
    char lock[128];

    server_close(&server);
    CHECK(access(path, F_OK));
    snprintf(lock, sizeof(lock), "%s.lock", path);
    CHECK_EQ(unlink(lock), 0);
    snprintf(lock, sizeof(lock), "%s/run", dir);
    CHECK_EQ(rmdir(lock), 0);
    CHECK_EQ(rmdir(dir), 0);
}

static int connect_server(void)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);

    strcpy(address.sun_path, path);
    CHECK_EQ(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

static const char *receive(int fd)
{
    static char text[256];
    ssize_t got = recv(fd, text, sizeof(text) - 1, MSG_WAITALL);

    text[got > 0 ? got : 0] = '\0';
    return text;
}

TEST(server_socket_is_private)
{
    struct stat status;

    open_server();
    CHECK_EQ(stat(path, &status), 0);
    CHECK_EQ(status.st_mode & 0777, 0600);
    close_server();
}

TEST(server_is_one)
{
    struct server other;

    open_server();
    CHECK_EQ(server_open(&other, path, geteuid(), &failure), STATUS_BUSY);
    CHECK_EQ(access(path, F_OK), 0);
    close_server();
}

TEST(server_takes_over_a_dead_ones_socket)
{
    open_server();
    /* As after kill -9: the lock is gone, the name is not. */
    close(server.listener);
    close(server.lock);
    CHECK_EQ(access(path, F_OK), 0);
    CHECK_EQ(server_open(&server, path, geteuid(), &failure), 0);
    close_server();
}

TEST(server_takes_a_request_in_pieces)
{
    struct client *client;
    int fd;

    open_server();
    fd = connect_server();
    client = server_accept(&server);
    CHECK(client);
    CHECK(!client_receive(client));
    CHECK_EQ(send(fd, "sta", 3, 0), 3);
    CHECK(!client_receive(client));
    CHECK_EQ(send(fd, "tus\nmore", 8, 0), 8);
    CHECK(client_receive(client));
    CHECK_TEXT(client->request, "status");
    fputs("state running\n", client->reply);
    client_finish(client, NULL);
    CHECK_TEXT(receive(fd), "state running\nok\n");
    CHECK_EQ(client->fd, -1);
    close(fd);
    close_server();
}

/* xenopctl, which has opened so many folders for guest roots. */
static pid_t ask_with_folders(unsigned int count)
{
    struct root_folders folders = {.count = count};
    struct reply reply;
    pid_t pid = fork();

    if ( pid )
        return pid;
    setenv("XENOPROF_CONTROL", path, 1);
    for ( unsigned int i = 0; i < count; i++ )
        folders.fds[i] = open(i ? "/" : dir, O_PATH | O_CLOEXEC);
    client_attach(&folders);
    failure = (struct failure){0};
    _exit(client_ask("start", &reply, &failure));
}

static struct client *wait_for_request(void)
{
    struct pollfd ready = {.fd = server.listener, .events = POLLIN};
    struct client *client;

    CHECK_EQ(poll(&ready, 1, -1), 1);
    client = server_accept(&server);
    CHECK(client);
    do
    {
        ready.fd = client->fd;
        CHECK_EQ(poll(&ready, 1, -1), 1);
    } while ( !client_receive(client) );
    return client;
}

/* They are the client's until somebody takes them, and end with it. */
TEST(server_is_given_folders)
{
    static const unsigned int counts[] = {1, DOMAIN_PAIRS_MAX, 0};
    struct stat there, here;
    struct client *client;

    open_server();
    for ( unsigned int i = 0; i < 3; i++ )
    {
        pid_t pid = ask_with_folders(counts[i]);
        int fd = -1, status;

        client = wait_for_request();
        CHECK_TEXT(client->request, "start");
        CHECK_EQ(client->folders.count, counts[i]);
        if ( counts[i] )
        {
            fd = client->folders.fds[0];
            CHECK(!fstat(fd, &there) && !stat(dir, &here));
            CHECK_EQ(there.st_ino, here.st_ino);
        }
        client_finish(client, NULL);
        CHECK(fd < 0 || fstat(fd, &there));
        CHECK_EQ(client->folders.count, 0);
        CHECK_EQ(waitpid(pid, &status, 0), pid);
        CHECK_EQ(status, 0);
    }
    close_server();
}

TEST(server_says_what_failed)
{
    struct client *client;
    int fd;

    open_server();
    fd = connect_server();
    client = server_accept(&server);
    fail(&failure, STATUS_RANGE, "it is out of range");
    client_finish(client, &failure);
    CHECK_TEXT(receive(fd), "error 13 text=it%20is%20out%20of%20range\n");
    close(fd);
    close_server();
}

TEST(server_drops_who_sends_no_line)
{
    static char much[LINE_MAX_BYTES];
    struct client *client;
    int fd;

    open_server();
    fd = connect_server();
    client = server_accept(&server);
    memset(much, 'x', sizeof(much));
    CHECK_EQ(send(fd, much, sizeof(much), 0), (long)sizeof(much));
    for ( int i = 0; client->fd >= 0 && i < 100; i++ )
        CHECK(!client_receive(client));
    CHECK_EQ(client->fd, -1);
    close(fd);
    close_server();
}

TEST(server_drops_who_hangs_up)
{
    struct client *client;

    open_server();
    close(connect_server());
    client = server_accept(&server);
    CHECK(client);
    CHECK(!client_receive(client));
    CHECK_EQ(client->fd, -1);
    close_server();
}

TEST(server_has_so_many_clients_at_a_time)
{
    int fds[CLIENTS_MAX + 1];

    open_server();
    for ( int i = 0; i <= CLIENTS_MAX; i++ )
    {
        fds[i] = connect_server();
        CHECK(!server_accept(&server) == (i == CLIENTS_MAX));
    }
    client_drop(&server.clients[3]);
    close(fds[CLIENTS_MAX]);
    fds[CLIENTS_MAX] = connect_server();
    CHECK(server_accept(&server) == &server.clients[3]);
    for ( int i = 0; i <= CLIENTS_MAX; i++ )
        close(fds[i]);
    close_server();
}

/* A user who is neither root nor the daemon's. */
TEST(server_is_not_for_everybody)
{
    struct client *client;
    int ready[2], go[2];
    char byte;

    if ( geteuid() != 0 )
        test_skip("only root can become somebody else");
    open_server();
    CHECK_EQ(chmod(dir, 0755), 0);
    CHECK_EQ(chmod(path, 0666), 0);
    strcat(dir, "/run");
    CHECK_EQ(chmod(dir, 0755), 0);
    dir[strlen(dir) - 4] = '\0';
    CHECK_EQ(pipe(ready), 0);
    CHECK_EQ(pipe(go), 0);
    if ( fork() == 0 )
    {
        /* So that it ends with the test, whatever that finds. */
        close(go[1]);
        if ( setuid(65534) )
            _exit(1);
        connect_server();
        if ( write(ready[1], "r", 1) != 1 || read(go[0], &byte, 1) != 1 )
            _exit(1);
        _exit(0);
    }
    CHECK_EQ(read(ready[0], &byte, 1), 1);
    client = server_accept(&server);
    CHECK(!client);
    CHECK_EQ(write(go[1], "g", 1), 1);
    /* Who may is answered, before and after. */
    close(connect_server());
    CHECK(server_accept(&server));
    close_server();
}

/* The socket's folder is there before the daemon, and not as it makes it. */
static char folder[80], beside[80];

static void begin_folder(void)
{
    strcpy(dir, "/tmp/xenoprof-test-XXXXXX");
    CHECK(mkdtemp(dir));
    snprintf(folder, sizeof(folder), "%s/run", dir);
    snprintf(beside, sizeof(beside), "%s/beside", dir);
    snprintf(path, sizeof(path), "%s/control", folder);
    CHECK_EQ(mkdir(beside, 0700), 0);
}

static void make_others(void)
{
    CHECK_EQ(mkdir(folder, 0700), 0);
    CHECK_EQ(chown(folder, 65534, 65534), 0);
}

static void make_open(void)
{
    CHECK_EQ(mkdir(folder, 0700), 0);
    CHECK_EQ(chmod(folder, 0777), 0);
}

static void make_sticky(void)
{
    CHECK_EQ(mkdir(folder, 0700), 0);
    CHECK_EQ(chmod(folder, 01777), 0);
}

static void make_link(void)
{
    CHECK_EQ(symlink(beside, folder), 0);
}

/* Nothing is made in it, nor where it leads. */
TEST(folders_of_others_have_no_socket)
{
    static void (*const make[])(void) = {make_open, make_sticky, make_link,
                                         make_others};
    size_t count = geteuid() ? 3 : 4; /* only root gives folders to others */

    for ( size_t i = 0; i < count; i++ )
    {
        begin_folder();
        make[i]();
        failure = (struct failure){0};
        CHECK_EQ(server_open(&server, path, geteuid() + 1, &failure),
                 STATUS_NO_DAEMON);
        CHECK(strstr(failure.text, folder) &&
              strstr(failure.text, "nobody else may write to it"));
        CHECK_EQ(rmdir(beside), 0); /* it is empty */
        CHECK_EQ(make[i] == make_link ? unlink(folder) : rmdir(folder), 0);
        CHECK_EQ(rmdir(dir), 0);
    }
}

/* It was given to the daemon's user when the last one began. */
TEST(the_folder_of_the_daemons_user)
{
    char lock[128];

    if ( geteuid() != 0 )
        test_skip("only root gives folders to others");
    begin_folder();
    make_others();
    CHECK_EQ(server_open(&server, path, 65534, &failure), 0);
    server_close(&server);
    snprintf(lock, sizeof(lock), "%s.lock", path);
    CHECK_EQ(unlink(lock), 0);
    CHECK_EQ(rmdir(folder), 0);
    CHECK_EQ(rmdir(beside), 0);
    CHECK_EQ(rmdir(dir), 0);
}

/* What a user who has taken the daemon over leaves there for the next, which
 * begins as root, is not written to. */
TEST(links_in_its_folder_are_not_followed)
{
    char precious[100], lock[128];
    struct stat status;

    begin_folder();
    CHECK_EQ(mkdir(folder, 0700), 0);
    snprintf(precious, sizeof(precious), "%s/precious", beside);
    snprintf(lock, sizeof(lock), "%s.lock", path);
    CHECK_EQ(symlink(precious, lock), 0);
    CHECK_EQ(server_open(&server, path, geteuid(), &failure), STATUS_NO_DAEMON);
    CHECK(strstr(failure.text, lock));
    CHECK(stat(precious, &status)); /* it was not made */
    CHECK_EQ(unlink(lock), 0);
    CHECK_EQ(symlink(precious, path), 0);
    CHECK_EQ(server_open(&server, path, geteuid(), &failure), 0);
    CHECK(!lstat(path, &status) && S_ISSOCK(status.st_mode));
    CHECK(stat(precious, &status));
    server_close(&server);
    CHECK_EQ(unlink(lock), 0);
    CHECK_EQ(rmdir(folder), 0);
    CHECK_EQ(rmdir(beside), 0);
    CHECK_EQ(rmdir(dir), 0);
}

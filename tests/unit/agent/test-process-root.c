/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is opened below a root: regular files, and nothing else. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "agent/process-root.h"
#include "base/scope.h"
#include "tests/harness.h"

static char folder[] = "/tmp/xenoprof-root-XXXXXX";
static char path[sizeof(folder) + 16];
static int root = -1;

static void setup(void)
{
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    CHECK(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/file", folder);
    root = process_root_open(getpid());
    CHECK(root >= 0);
}

static void clean(void)
{
    CHECK(!unlink(path));
    CHECK(!rmdir(folder));
    close(root);
}

static void check_refused(const char *name)
{
    CHECK_EQ(process_root_open_file(root, name), -1);
}

TEST(a_regular_file_is_read)
{
    char byte = 0;
    int made, fd;

    setup();
    made = open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    CHECK_EQ(write(made, "x", 1), 1);
    close(made);
    fd = process_root_open_file(root, path);
    CHECK_EQ(read(fd, &byte, 1), 1);
    CHECK_EQ(byte, 'x');
    CHECK_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
    close(fd);
    CHECK(!access(path, F_OK));
    clean();
}

/* As a watchdog, which ends the machine some time after it is opened. */
TEST(a_device_is_refused_by_whatever_path)
{
    setup();
    CHECK(!symlink("/dev/null", path));
    check_refused(path);
    check_refused("/dev/null");
    clean();
}

TEST(pipes_and_folders_are_refused)
{
    setup();
    CHECK(!mkfifo(path, 0600));
    check_refused(path);
    check_refused(folder);
    check_refused("/");
    clean();
}

/* Who opens a socket as a file is told so: here nobody does. */
TEST(what_is_refused_is_not_opened)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd SCOPE_CLOSE = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

    setup();
    strcpy(address.sun_path, path);
    CHECK(!bind(fd, (void *)&address, sizeof(address)));
    CHECK(open(path, O_RDONLY | O_CLOEXEC) < 0 && errno == ENXIO);
    errno = 0;
    check_refused(path);
    CHECK_EQ(errno, 0);
    clean();
}

TEST(what_is_not_there)
{
    setup();
    check_refused(path);
    CHECK(!symlink("/proc/self/fd/0", path)); /* what it leads to has no path */
    check_refused(path);
    clean();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files below a folder that is the root of all processes: nothing leads out. */
#include "agent/file-roots.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/harness.h"

static char folder[64], path[128];
static struct file_roots roots;

static const char *at(const char *name)
{
    snprintf(path, sizeof(path), "%s/%s", folder, name);
    return path;
}

static void put_file(const char *name, const char *text)
{
    int fd = open(at(name), O_CREAT | O_WRONLY | O_CLOEXEC, 0644);

    CHECK_EQ(write(fd, text, strlen(text)), strlen(text));
    close(fd);
}

/* FOLDER/root has /etc/own, and is what processes have for their root;
 * FOLDER/outside has what they must not see. */
static void setup(void)
{
    strcpy(folder, "/tmp/xenoprof-roots-XXXXXX");
    CHECK(mkdtemp(folder));
    CHECK(!mkdir(at("root"), 0755) && !mkdir(at("root/etc"), 0755));
    put_file("outside", "outside");
    put_file("root/etc/own", "own");
    roots.all = open(at("root"), O_PATH | O_DIRECTORY | O_CLOEXEC);
    CHECK(roots.all >= 0);
}

static void clean(void)
{
    char command[128];

    close(roots.all);
    snprintf(command, sizeof(command), "rm -r %s", folder);
    CHECK(!system(command));
}

/* Returns what the file has, "" if it cannot be opened. */
static const char *read_file(const char *name)
{
    static char text[32];
    int fd = file_roots_open(&roots, 77, name);
    ssize_t got = fd >= 0 ? read(fd, text, sizeof(text) - 1) : 0;

    if ( fd >= 0 )
        close(fd);
    text[got > 0 ? got : 0] = 0;
    return text;
}

static void put_link(const char *name, const char *to)
{
    CHECK(!symlink(to, at(name)));
}

TEST(a_file_of_the_root)
{
    int fd;

    setup();
    CHECK_TEXT(read_file("/etc/own"), "own");
    CHECK_TEXT(read_file("/etc/../etc/own"), "own");
    fd = file_roots_open(&roots, 0, "/etc/own");
    CHECK_EQ(fcntl(fd, F_GETFD), FD_CLOEXEC);
    CHECK_EQ(fcntl(fd, F_GETFL) & (O_ACCMODE | O_NONBLOCK),
             O_RDONLY | O_NONBLOCK);
    close(fd);
    CHECK_TEXT(read_file("/etc/none"), "");
    clean();
}

/* Absolute ones are the guest's own; none climbs over its root. */
TEST(links_stay_inside)
{
    char up[256];

    setup();
    put_link("root/absolute", "/etc/own");
    CHECK_TEXT(read_file("/absolute"), "own");
    put_link("root/folder", "/etc");
    CHECK_TEXT(read_file("/folder/own"), "own");
    put_link("root/up", "../../../../../etc/own");
    CHECK_TEXT(read_file("/up"), "own");
    put_link("root/out", at("outside"));
    CHECK_TEXT(read_file("/out"), "");
    put_link("root/beside", "../outside");
    CHECK_TEXT(read_file("/beside"), "");
    CHECK_TEXT(read_file("/../outside"), "");
    CHECK_TEXT(read_file("/etc/../../outside"), "");
    snprintf(up, sizeof(up), "/../../../..%s", at("outside"));
    CHECK_TEXT(read_file(up), "");
    put_link("root/round", "round");
    CHECK_TEXT(read_file("/round"), "");
    clean();
}

TEST(only_regular_files)
{
    setup();
    CHECK(!mkfifo(at("root/pipe"), 0644));
    CHECK_TEXT(read_file("/pipe"), "");
    CHECK_TEXT(read_file("/etc"), "");
    CHECK_TEXT(read_file("/"), "");
    put_link("root/device", "/dev/null");
    CHECK_TEXT(read_file("/device"), "");
    if ( !geteuid() && !mknod(at("root/null"), S_IFCHR | 0666, 0x103) )
        CHECK_EQ(file_roots_open(&roots, 1, "/null"), -1);
    clean();
}

/* The root of a process that has ended, and of process 0, is this machine's. */
TEST(roots_of_their_own)
{
    const struct file_roots own = {.all = -1};
    const int32_t processes[] = {0, INT32_MAX, getpid()};

    setup();
    for ( unsigned int i = 0; i < 3; i++ )
    {
        int fd = file_roots_open(&own, processes[i], at("outside"));

        CHECK(fd >= 0);
        close(fd);
    }
    clean();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "child-kit.h"

#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/harness.h"

pid_t kit_start_child(void (*work)(void))
{
    pid_t child = fork();

    if ( !child )
    {
        /* Should this test fail: who reads its output waits for its end. */
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        work();
    }
    CHECK(child > 0);
    return child;
}

void kit_end_child(pid_t child)
{
    CHECK(!kill(child, SIGKILL));
    CHECK_EQ(waitpid(child, NULL, 0), child);
}

static bool copy_program(const char *path)
{
    int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    int to = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

    while ( sendfile(to, from, NULL, 1 << 20) > 0 )
        ;
    return lseek(to, 0, SEEK_CUR) > 0;
}

/* An image, and above it the layer of this container: an overlay. */
static bool make_layers(void)
{
    return !mkdir("image", 0755) && !mkdir("changes", 0755) &&
           !mkdir("work", 0755) && !mkdir("root", 0755) &&
           copy_program("image/program") &&
           !mount("overlay", "root", "overlay", 0,
                  "lowerdir=image,upperdir=changes,workdir=work") &&
           !chdir("root");
}

static bool make_jail(const char *folder)
{
    return !chdir(folder) && copy_program("program") && !chroot(".");
}

/* A root that nobody else sees, with this program in it, and no other. */
static bool make_root(const char *folder, bool layers)
{
    return !unshare(CLONE_NEWNS) &&
           !mount("", "/", NULL, MS_REC | MS_PRIVATE, "") &&
           !mount("", folder, "tmpfs", 0, "") && !chdir(folder) &&
           (layers ? make_layers() : copy_program("program")) &&
           !syscall(SYS_pivot_root, ".", ".") && !umount2(".", MNT_DETACH);
}

int kit_enter_root(const char *folder, enum kit_root kind)
{
    const bool entered = kind == KIT_JAIL
                             ? make_jail(folder)
                             : make_root(folder, kind == KIT_LAYERS);

    return entered ? open("/program", O_RDONLY | O_CLOEXEC) : -1;
}

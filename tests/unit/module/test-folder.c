/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who may put code into Xen: whoever may write to the folder of modules. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "module/folder.h"
#include "tests/harness.h"

static char root[64]; /* in the place of /var/lib */
static struct failure failure;

/* Returns a path below root; the last four are valid. */
static const char *below(const char *name)
{
    static char paths[4][128];
    static unsigned int next;
    char *path = paths[next++ % 4];

    snprintf(path, sizeof(paths[0]), "%s/%s", root, name);
    return path;
}

static void begin(void)
{
    umask(022);
    strcpy(root, "/tmp/xenoprof-test-XXXXXX");
    CHECK(mkdtemp(root));
}

static void end(void)
{
    static const char *const names[] = {"xenoprof/modules/one",
                                        "xenoprof/modules/one.new",
                                        "xenoprof/modules/.probe-12345",
                                        "xenoprof/modules/.probe-abcdef",
                                        "xenoprof/modules/.probe-link12",
                                        "xenoprof/modules/.probe-folder/in",
                                        "xenoprof/modules/.probe-folder",
                                        "xenoprof/modules",
                                        "xenoprof",
                                        "elsewhere"};

    for ( size_t i = 0; i < sizeof(names) / sizeof(*names); i++ )
        if ( unlink(below(names[i])) )
            rmdir(below(names[i]));
    CHECK(!rmdir(root));
}

static int take(int *lock)
{
    failure = (struct failure){0};
    return folder_lock(below("xenoprof/modules"), lock, &failure);
}

static void check_refused(const char *which)
{
    int lock;

    CHECK_EQ(take(&lock), STATUS_FAILED);
    CHECK_EQ(lock, -1);
    if ( !strstr(failure.text, below(which)) ||
         !strstr(failure.text, "only root may write to") )
        test_fail(__FILE__, __LINE__, "it said: %s", failure.text);
}

static mode_t mode_of(const char *name)
{
    struct stat info;

    CHECK(!stat(below(name), &info));
    return info.st_mode & 07777;
}

TEST(folder_is_made_and_locked)
{
    int lock, other;

    begin();
    CHECK_EQ(take(&lock), 0);
    CHECK_EQ(mode_of("xenoprof"), 0755);
    CHECK_EQ(mode_of("xenoprof/modules"), 0700);
    other = open(below("xenoprof/modules"), O_RDONLY | O_CLOEXEC);
    CHECK_EQ(flock(other, LOCK_EX | LOCK_NB), -1);
    CHECK_EQ(errno, EWOULDBLOCK);
    close(lock);
    CHECK_EQ(flock(other, LOCK_EX | LOCK_NB), 0);
    close(other);
    CHECK_EQ(take(&lock), 0);
    close(lock);
    end();
}

TEST(folder_that_others_may_write_to)
{
    static const mode_t modes[] = {0720, 0702, 0777, 01777};

    for ( size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++ )
    {
        begin();
        CHECK(!mkdir(below("xenoprof"), 0755));
        CHECK(!mkdir(below("xenoprof/modules"), 0700));
        CHECK(!chmod(below("xenoprof/modules"), modes[i]));
        check_refused("xenoprof/modules");
        end();
    }
}

/* Who may write to the folder above can put another folder in its place. */
TEST(folder_above_that_others_may_write_to)
{
    begin();
    CHECK(!mkdir(below("xenoprof"), 0755));
    CHECK(!chmod(below("xenoprof"), 0775));
    check_refused("xenoprof");
    CHECK(access(below("xenoprof/modules"), F_OK));
    end();
}

TEST(folder_that_is_a_link_or_a_file)
{
    begin();
    CHECK(!mkdir(below("xenoprof"), 0755));
    CHECK(!mkdir(below("elsewhere"), 0700));
    CHECK(!symlink(below("elsewhere"), below("xenoprof/modules")));
    check_refused("xenoprof/modules");
    CHECK(!unlink(below("xenoprof/modules")));
    close(
        open(below("xenoprof/modules"), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
    check_refused("xenoprof/modules");
    end();
    begin();
    CHECK(!mkdir(below("elsewhere"), 0700));
    CHECK(!symlink(below("elsewhere"), below("xenoprof")));
    check_refused("xenoprof");
    end();
}

TEST(folder_of_somebody_else)
{
    if ( geteuid() )
        test_skip("only root can give a folder away");
    begin();
    CHECK(!mkdir(below("xenoprof"), 0755));
    CHECK(!mkdir(below("xenoprof/modules"), 0700));
    CHECK(!chown(below("xenoprof/modules"), 1, 0));
    check_refused("xenoprof/modules");
    end();
}

TEST(folder_that_cannot_be_made)
{
    int lock;

    CHECK_EQ(folder_lock("/dev/null/xenoprof/modules", &lock, &failure),
             STATUS_FAILED);
    CHECK_EQ(lock, -1);
    CHECK(strstr(failure.text, "cannot create /dev/null/xenoprof: "));
}

static void write_file(const char *name, const char *content, mode_t mode)
{
    int file = open(below(name), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC,
                    0600);
    ssize_t length = (ssize_t)strlen(content);

    CHECK_EQ(write(file, content, (size_t)length), length);
    CHECK(!fchmod(file, mode));
    close(file);
}

/* A module that is kept is loaded again without being built. */
TEST(module_that_is_kept)
{
    char one[128], fresh[128];
    int lock;

    begin();
    CHECK_EQ(take(&lock), 0);
    close(lock);
    strcpy(one, below("xenoprof/modules/one"));
    strcpy(fresh, below("xenoprof/modules/one.new"));
    CHECK_EQ(folder_keep(fresh, one), -ENOENT);
    CHECK(!folder_has(one));
    write_file("xenoprof/modules/one.new", "payload", 0600);
    CHECK_EQ(folder_keep(fresh, one), 0);
    CHECK(folder_has(one));
    CHECK(!folder_has(fresh));
    end();
}

TEST(module_that_is_not_ours_alone)
{
    static const mode_t modes[] = {0620, 0602, 0666};
    char one[128];
    int lock;

    begin();
    CHECK_EQ(take(&lock), 0);
    close(lock);
    strcpy(one, below("xenoprof/modules/one"));
    for ( size_t i = 0; i < sizeof(modes) / sizeof(*modes); i++ )
    {
        write_file("xenoprof/modules/one", "payload", modes[i]);
        CHECK(!folder_has(one));
    }
    write_file("xenoprof/modules/one", "payload", 0644);
    CHECK(folder_has(one));
    /* Cut short by a crash, or only pointed to. */
    write_file("xenoprof/modules/one", "", 0600);
    CHECK(!folder_has(one));
    CHECK(!unlink(one));
    write_file("elsewhere", "payload", 0600);
    CHECK(!symlink(below("elsewhere"), one));
    CHECK(!folder_has(one));
    CHECK(!unlink(one));
    CHECK(!mkdir(one, 0700));
    CHECK(!folder_has(one));
    end();
}

/* What a killed build left goes, and nothing else: no module, and nothing that
 * somebody put there. */
TEST(files_that_a_killed_build_left)
{
    char link[128];
    int lock;

    begin();
    CHECK_EQ(take(&lock), 0);
    write_file("xenoprof/modules/one", "payload", 0600);
    write_file("xenoprof/modules/one.new", "half", 0600);
    write_file("xenoprof/modules/.probe-abcdef", "probe", 0600);
    write_file("xenoprof/modules/.probe-12345", "short", 0600);
    write_file("elsewhere", "payload", 0600);
    strcpy(link, below("xenoprof/modules/.probe-link12"));
    CHECK(!symlink(below("elsewhere"), link));
    CHECK(!mkdir(below("xenoprof/modules/.probe-folder"), 0700));
    folder_clean(lock);
    CHECK(access(below("xenoprof/modules/one.new"), F_OK));
    CHECK(access(below("xenoprof/modules/.probe-abcdef"), F_OK));
    CHECK(!access(below("xenoprof/modules/one"), F_OK));
    CHECK(!access(below("xenoprof/modules/.probe-12345"), F_OK));
    CHECK(!access(below("xenoprof/modules/.probe-folder"), F_OK));
    CHECK(!access(link, F_OK));
    CHECK(!access(below("elsewhere"), F_OK));
    close(lock);
    end();
}

/* It may be at work on them: only who has the lock removes them. */
TEST(cleaning_keeps_the_lock)
{
    int lock, other;

    begin();
    CHECK_EQ(take(&lock), 0);
    folder_clean(lock);
    other = open(below("xenoprof/modules"), O_RDONLY | O_CLOEXEC);
    CHECK_EQ(flock(other, LOCK_EX | LOCK_NB), -1);
    close(other);
    close(lock);
    end();
}

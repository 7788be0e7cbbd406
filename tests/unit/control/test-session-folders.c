/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sessions in a directory, also where links or a lack of memory get in the way.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "control/session-folders.h"
#include "tests/harness.h"

static struct failure failure;
static char dir[64];

static const char *path_of(const char *session, const char *file)
{
    static char path[256];

    snprintf(path, sizeof(path), "%s/%s%s%s", dir, session, file ? "/" : "",
             file ? file : "");
    return path;
}

static void make_dir(void)
{
    strcpy(dir, "/tmp/xenoprof-test-XXXXXX");
    CHECK(mkdtemp(dir));
}

static void make_session(const char *name, const char *content)
{
    FILE *file;

    CHECK_EQ(mkdir(path_of(name, NULL), 0700), 0);
    file = fopen(path_of(name, "DATA.0000"), "w");
    CHECK(file);
    fputs(content, file);
    fclose(file);
}

static const char *content_of(const char *name)
{
    static char content[16];
    FILE *file = fopen(path_of(name, "DATA.0000"), "r");

    if ( !file )
        return "none";
    content[fread(content, 1, sizeof(content) - 1, file)] = '\0';
    fclose(file);
    return content;
}

static void remove_dir(void)
{
    char **names = session_names(dir, &failure);

    for ( char **name = names; *name; name++ )
        session_delete(dir, *name, &failure);
    session_names_free(names);
    CHECK_EQ(rmdir(dir), 0);
}

TEST(session_names_that_may_be_given)
{
    static const char *const good[] = {"a", "before-the-fix", "2026-11-20_1",
                                       "x.y"};
    static const char *const bad[] = {"",    ".",       "..",       ".x", "-x",
                                      "a/b", "current", "previous", "a b"};
    char name[SESSION_NAME_MAX + 2];

    for ( size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++ )
        CHECK_EQ(session_name_check(good[i], &failure), 0);
    for ( size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++ )
        if ( session_name_check(bad[i], &failure) != STATUS_RANGE )
            test_fail(__FILE__, __LINE__, "'%s' was allowed", bad[i]);
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    CHECK_EQ(session_name_check(name, &failure), STATUS_RANGE);
    name[SESSION_NAME_MAX] = '\0';
    CHECK_EQ(session_name_check(name, &failure), 0);
}

TEST(session_starting_becomes_current)
{
    make_dir();
    make_session(SESSION_STARTING, "first");
    CHECK_EQ(session_rotate(dir, &failure), 0);
    CHECK_TEXT(content_of(SESSION_CURRENT), "first");
    CHECK(!session_exists(dir, SESSION_PREVIOUS));

    make_session(SESSION_STARTING, "second");
    CHECK_EQ(session_rotate(dir, &failure), 0);
    CHECK_TEXT(content_of(SESSION_CURRENT), "second");
    CHECK_TEXT(content_of(SESSION_PREVIOUS), "first");

    make_session(SESSION_STARTING, "third");
    CHECK_EQ(session_rotate(dir, &failure), 0);
    CHECK_TEXT(content_of(SESSION_CURRENT), "third");
    CHECK_TEXT(content_of(SESSION_PREVIOUS), "second");
    remove_dir();
}

TEST(session_saved_shares_its_files)
{
    struct stat one, two;

    make_dir();
    make_session(SESSION_CURRENT, "data");
    CHECK_EQ(session_link(dir, "kept", &failure), 0);
    CHECK_EQ(stat(path_of(SESSION_CURRENT, "DATA.0000"), &one), 0);
    CHECK_EQ(stat(path_of("kept", "DATA.0000"), &two), 0);
    CHECK_EQ(one.st_ino, two.st_ino);
    CHECK_EQ(stat(path_of("kept", NULL), &one), 0);
    CHECK_EQ(one.st_mode & 0777, 0700);
    CHECK_EQ(session_link(dir, "kept", &failure), STATUS_SESSION_EXISTS);
    CHECK_EQ(session_delete(dir, SESSION_CURRENT, &failure), 0);
    CHECK_TEXT(content_of("kept"), "data");
    CHECK_EQ(session_link(dir, "more", &failure), STATUS_NO_SESSION);
    remove_dir();
}

TEST(session_names_are_sorted_and_hide_what_starts)
{
    char **names;

    make_dir();
    make_session("b", "");
    make_session("a", "");
    make_session(SESSION_STARTING, "");
    names = session_names(dir, &failure);
    CHECK_TEXT(names[0], "a");
    CHECK_TEXT(names[1], "b");
    CHECK(!names[2]);
    session_names_free(names);
    CHECK_EQ(session_delete(dir, SESSION_STARTING, &failure), 0);
    remove_dir();
}

TEST(session_directory_is_made_private)
{
    char below[128];
    struct stat status;

    make_dir();
    snprintf(below, sizeof(below), "%s/a/b", dir);
    CHECK_EQ(session_dir_prepare(below, &failure), 0);
    CHECK_EQ(stat(below, &status), 0);
    CHECK_EQ(status.st_mode & 0777, 0700);
    CHECK_EQ(session_dir_prepare(below, &failure), 0);
    CHECK_EQ(rmdir(below), 0);
    snprintf(below, sizeof(below), "%s/a", dir);
    CHECK_EQ(rmdir(below), 0);
    remove_dir();
}

TEST(session_directory_that_cannot_be)
{
    CHECK_EQ(session_dir_prepare("/dev/null/x", &failure), STATUS_SESSION_DIR);
    CHECK(strstr(failure.text, "--session-dir"));
}

/* The directory belongs to the daemon's user, and root works in it. */
TEST(session_links_are_not_followed)
{
    char outside[] = "/tmp/xenoprof-test-XXXXXX";

    make_dir();
    CHECK(mkdtemp(outside));
    CHECK_EQ(symlink(outside, path_of(SESSION_CURRENT, NULL)), 0);
    CHECK(!session_exists(dir, SESSION_CURRENT));
    CHECK_EQ(session_delete(dir, SESSION_CURRENT, &failure),
             STATUS_SESSION_DIR);
    CHECK_EQ(session_link(dir, "x", &failure), STATUS_NO_SESSION);
    CHECK_EQ(unlink(path_of(SESSION_CURRENT, NULL)), 0);
    CHECK_EQ(rmdir(outside), 0);
    remove_dir();
}

/* The linker sends the library's fdopendir() here (--wrap). */
DIR *__real_fdopendir(int fd);
DIR *__wrap_fdopendir(int fd);
static bool no_memory;

DIR *__wrap_fdopendir(int fd)
{
    if ( !no_memory )
        return __real_fdopendir(fd);
    errno = ENOMEM;
    return NULL;
}

static unsigned int open_files(void)
{
    DIR *list = opendir("/proc/self/fd");
    unsigned int count = 0;

    CHECK(list);
    while ( readdir(list) )
        count++;
    closedir(list);
    return count;
}

TEST(session_that_cannot_be_listed_stays_and_leaks_nothing)
{
    unsigned int before;

    make_dir();
    make_session(SESSION_CURRENT, "data");
    before = open_files();
    no_memory = true;
    CHECK_EQ(session_delete(dir, SESSION_CURRENT, &failure),
             STATUS_SESSION_DIR);
    CHECK(strstr(failure.text, strerror(ENOMEM)));
    CHECK_EQ(session_link(dir, "kept", &failure), STATUS_SESSION_DIR);
    no_memory = false;
    CHECK_EQ(open_files(), before);
    CHECK_TEXT(content_of(SESSION_CURRENT), "data");
    remove_dir();
}

TEST(session_that_is_not_there_is_deleted_already)
{
    make_dir();
    CHECK_EQ(session_delete(dir, "nothing", &failure), 0);
    remove_dir();
}

static uid_t owner_of(const char *path)
{
    struct stat status;

    CHECK_EQ(stat(path, &status), 0);
    return status.st_uid;
}

TEST(session_directory_for_somebody_else)
{
    char below[128];

    if ( geteuid() != 0 )
        test_skip("only root can give things away");
    make_dir();
    /* A private, empty folder was made for sessions. */
    CHECK_EQ(session_dir_make_for(dir, 65534, 65534, &failure), 0);
    CHECK_EQ(owner_of(dir), 65534);
    /* A folder that is in use, or open to all, keeps its owner. */
    CHECK_EQ(chown(dir, 0, 0), 0);
    make_session("kept", "");
    CHECK_EQ(session_dir_make_for(dir, 65534, 65534, &failure), 0);
    CHECK_EQ(owner_of(dir), 0);
    snprintf(below, sizeof(below), "%s/open", dir);
    CHECK_EQ(mkdir(below, 0755), 0);
    CHECK_EQ(session_dir_make_for(below, 65534, 65534, &failure), 0);
    CHECK_EQ(owner_of(below), 0);
    CHECK_EQ(rmdir(below), 0);
    snprintf(below, sizeof(below), "%s/new", dir);
    CHECK_EQ(session_dir_make_for(below, 65534, 65534, &failure), 0);
    CHECK_EQ(owner_of(below), 65534);
    CHECK_EQ(rmdir(below), 0);
    remove_dir();
}

/* As xenoprofd starts: root makes the folders with the daemon's umask, and then
 * becomes the daemon's user. */
static int start_as_daemon(const char *sessions)
{
    umask(0077);
    if ( session_dir_make_for(sessions, 65534, 65534, &failure) )
        return 1;
    if ( setresgid(65534, 65534, 65534) || setresuid(65534, 65534, 65534) )
        return 2;
    return session_dir_prepare(sessions, &failure) ? 3 : 0;
}

TEST(session_directory_below_new_folders_for_somebody_else)
{
    char sessions[128];
    int status;
    pid_t child;

    if ( geteuid() != 0 )
        test_skip("only root can give things away");
    make_dir();
    CHECK_EQ(chmod(dir, 0755), 0);
    snprintf(sessions, sizeof(sessions), "%s/xenoprof/sessions", dir);
    fflush(NULL);
    child = fork();
    if ( !child )
        _exit(start_as_daemon(sessions));
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK_EQ(status, 0);
    CHECK_EQ(owner_of(sessions), 65534);
    CHECK_EQ(rmdir(sessions), 0);
    *strrchr(sessions, '/') = '\0';
    CHECK_EQ(owner_of(sessions), 0);
    CHECK_EQ(rmdir(sessions), 0);
    remove_dir();
}

static void check_refused(const char *why)
{
    CHECK_EQ(session_dir_prepare(dir, &failure), STATUS_SESSION_DIR);
    if ( !strstr(failure.text, why) )
        test_fail(__FILE__, __LINE__, "it said: %s", failure.text);
}

TEST(session_directory_that_others_may_write_to_is_refused)
{
    char outside[64];

    make_dir();
    CHECK_EQ(chmod(dir, 0770), 0);
    check_refused("nobody else may write");
    CHECK_EQ(chmod(dir, 0702), 0);
    check_refused("nobody else may write");
    CHECK_EQ(chmod(dir, 0755), 0);
    CHECK_EQ(session_dir_prepare(dir, &failure), 0);
    strcpy(outside, dir);
    strcat(dir, "-link");
    CHECK_EQ(symlink(outside, dir), 0);
    check_refused("not a link");
    CHECK_EQ(unlink(dir), 0);
    strcpy(dir, outside);
    if ( geteuid() == 0 )
    {
        CHECK_EQ(chown(dir, 65534, 65534), 0);
        check_refused("must belong to");
        CHECK_EQ(session_dir_make_for(dir, 65533, 65533, &failure),
                 STATUS_SESSION_DIR);
        CHECK_EQ(session_dir_make_for(dir, 65534, 65534, &failure), 0);
    }
    remove_dir();
}

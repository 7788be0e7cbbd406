/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "report/import/import-folder.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/harness.h"

static void make(struct import_folder *folder)
{
    struct failure failure = {.status = STATUS_DONE};
    struct stat state;

    CHECK_EQ(import_folder_make(folder, &failure), STATUS_DONE);
    CHECK(!stat(folder->path, &state));
    CHECK_EQ(state.st_mode & 07777, 0700);
}

static void add_file(const struct import_folder *folder, const char *name)
{
    char path[256];

    snprintf(path, sizeof(path), "%s/%s", folder->path, name);
    close(open(path, O_CREAT | O_WRONLY, 0600));
}

static bool is_there(const char *path)
{
    struct stat state;

    return !lstat(path, &state);
}

TEST(a_folder_goes_with_its_session)
{
    char where[TEST_FOLDER_MAX], path[256];
    struct import_folder folder = {.path = NULL};

    test_make_folder(where, "xenoprof-import-XXXXXX");
    setenv("TMPDIR", where, 1);
    make(&folder);
    CHECK(!strncmp(folder.path, where, strlen(where)));
    snprintf(path, sizeof(path), "%s", folder.path);
    add_file(&folder, "DATA.0000");
    add_file(&folder, "DATA.0001");
    import_folder_remove(&folder);
    CHECK(!is_there(path));
    CHECK(!folder.path);
    import_folder_remove(&folder);
    CHECK(!rmdir(where));
}

TEST(there_are_so_many_at_most)
{
    struct import_folder folders[IMPORT_FOLDERS_MAX] = {{NULL}}, more = {NULL};
    struct failure failure = {.status = STATUS_DONE};

    unsetenv("TMPDIR");
    for ( size_t i = 0; i < IMPORT_FOLDERS_MAX; i++ )
        make(&folders[i]);
    CHECK_EQ(import_folder_make(&more, &failure), STATUS_FAILED);
    CHECK(!more.path);
    import_folder_remove(&folders[0]);
    make(&more);
    import_folder_remove(&more);
    for ( size_t i = 1; i < IMPORT_FOLDERS_MAX; i++ )
        import_folder_remove(&folders[i]);
}

/* A child makes a folder, says which, and waits to be ended by a signal, which
 * who started this test may have had ignored. */
static void be_ended(int to, int number)
{
    struct import_folder folder = {.path = NULL};
    struct failure failure = {.status = STATUS_DONE};

    signal(number, SIG_DFL);
    if ( import_folder_make(&folder, &failure) )
        _exit(1);
    add_file(&folder, "DATA.0000");
    if ( write(to, folder.path, strlen(folder.path) + 1) < 0 )
        _exit(1);
    for ( ;; )
        pause();
}

static void check_signal(int number)
{
    char path[256];
    int ends[2], status;
    pid_t child;

    CHECK(!pipe(ends));
    child = fork();
    if ( !child )
        be_ended(ends[1], number);
    CHECK(read(ends[0], path, sizeof(path)) > 0);
    CHECK(is_there(path));
    CHECK(!kill(child, number));
    CHECK_EQ(waitpid(child, &status, 0), child);
    CHECK(WIFSIGNALED(status));
    CHECK_EQ(WTERMSIG(status), number);
    CHECK(!is_there(path));
    close(ends[0]);
    close(ends[1]);
}

TEST(a_signal_removes_it)
{
    check_signal(SIGTERM);
    check_signal(SIGINT);
    check_signal(SIGHUP);
    check_signal(SIGPIPE);
}

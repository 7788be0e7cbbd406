/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder that others may change is not opened. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/own-folder.h"
#include "tests/harness.h"

static int try(const char *path, uid_t owner)
{
    int folder = own_folder_open(path, owner);

    if ( folder < 0 )
        return errno;
    close(folder);
    return 0;
}

TEST(only_a_folder_that_is_ours_alone_is_opened)
{
    char folder[] = "/tmp/xenoprof-own-XXXXXX", link[64];

    CHECK(mkdtemp(folder));
    CHECK_EQ(try(folder, geteuid()), 0);
    CHECK_EQ(try(folder, geteuid() + 1), EPERM);
    CHECK(!chmod(folder, 0720));
    CHECK_EQ(try(folder, geteuid()), EPERM);
    CHECK(!chmod(folder, 0702));
    CHECK_EQ(try(folder, geteuid()), EPERM);
    CHECK(!chmod(folder, 0755));
    CHECK_EQ(try(folder, geteuid()), 0);
    snprintf(link, sizeof(link), "%s-link", folder);
    CHECK(!symlink(folder, link));
    CHECK(try(link, geteuid()));
    CHECK(!unlink(link));
    CHECK(!rmdir(folder));
    CHECK_EQ(try(folder, geteuid()), ENOENT);
}

TEST(an_owner_is_the_only_one_who_writes)
{
    struct stat info = {.st_uid = 7, .st_mode = S_IFREG | 0644};

    CHECK(is_owned(&info, 7));
    CHECK(!is_owned(&info, 8));
    info.st_mode |= S_IWGRP;
    CHECK(!is_owned(&info, 7));
    info.st_mode = S_IFREG | 0602;
    CHECK(!is_owned(&info, 7));
}

/* What was installed below a folder. */
static struct tree {
    char top[64], program[96], lib[96], file[96];
} tree;

static void empty_file(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0755);

    CHECK(fd >= 0 && !close(fd));
}

static void grow_tree(void)
{
    char bin[96];

    snprintf(tree.top, sizeof(tree.top), "/tmp/xenoprof-tree-XXXXXX");
    CHECK(mkdtemp(tree.top));
    snprintf(bin, sizeof(bin), "%s/bin", tree.top);
    snprintf(tree.lib, sizeof(tree.lib), "%s/lib", tree.top);
    CHECK(!mkdir(bin, 0755) && !mkdir(tree.lib, 0755));
    snprintf(tree.program, sizeof(tree.program), "%s/bin/program", tree.top);
    snprintf(tree.file, sizeof(tree.file), "%s/lib/file", tree.top);
    empty_file(tree.program);
    empty_file(tree.file);
}

static void fell_tree(void)
{
    char bin[96];

    snprintf(bin, sizeof(bin), "%s/bin", tree.top);
    CHECK(!unlink(tree.program) && !unlink(tree.file));
    CHECK(!rmdir(bin) && !rmdir(tree.lib) && !rmdir(tree.top));
}

static bool is_beside(const char *relative)
{
    char path[PATH_MAX];

    return own_file_beside(tree.program, relative, path, sizeof(path));
}

TEST(what_came_with_a_program_is_found_beside_it)
{
    char path[PATH_MAX], real[PATH_MAX], link[128];

    grow_tree();
    CHECK(own_file_beside(tree.program, "../lib/file", path, sizeof(path)));
    CHECK(realpath(path, real));
    CHECK_TEXT(real, tree.file);
    CHECK(is_beside("program"));
    CHECK(!is_beside("../lib/another"));
    CHECK(!own_file_beside("/nonexistent", "../lib/file", path, sizeof(path)));
    CHECK(!own_file_beside(tree.program, "../lib/file", path,
                           strlen(tree.program)));
    /* Where the program is, and not where a link to it is. */
    snprintf(link, sizeof(link), "%s/link", tree.lib);
    CHECK(!symlink(tree.program, link));
    CHECK(own_file_beside(link, "../lib/file", path, sizeof(path)));
    CHECK(realpath(path, real));
    CHECK_TEXT(real, tree.file);
    CHECK(!unlink(link));
    fell_tree();
}

/* Each of the folders, and the file: as /tmp is, or a group's. */
TEST(what_others_could_have_put_there_is_not_found)
{
    const mode_t loose[] = {01777, 0775, 0757};
    char bin[96];
    const char *const way[] = {bin, tree.top, tree.lib, tree.file};

    grow_tree();
    snprintf(bin, sizeof(bin), "%s/bin", tree.top);
    for ( size_t i = 0; i < sizeof(way) / sizeof(*way); i++ )
        for ( size_t j = 0; j < sizeof(loose) / sizeof(*loose); j++ )
        {
            CHECK(is_beside("../lib/file"));
            CHECK(!chmod(way[i], loose[j]));
            CHECK(!is_beside("../lib/file"));
            CHECK(!chmod(way[i], 0755));
        }
    if ( !geteuid() )
    {
        CHECK(!chown(tree.lib, 1, 0));
        CHECK(!is_beside("../lib/file"));
        CHECK(!chown(tree.program, 1, 0)); /* root's, and that owner's */
        CHECK(is_beside("../lib/file"));
    }
    fell_tree();
}

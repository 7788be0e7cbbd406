/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A folder that others may change is not opened. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
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

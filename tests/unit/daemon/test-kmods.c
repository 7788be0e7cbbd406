/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "daemon/kmods.h"
#include "tests/harness.h"

static uint64_t sum_of(const char *text)
{
    char path[] = "/tmp/xenoprof-test-XXXXXX";
    int fd = mkstemp(path);
    uint64_t sum;

    CHECK_EQ(write(fd, text, strlen(text)), (long)strlen(text));
    sum = kmods_sum(fd);
    CHECK_EQ(kmods_sum(fd), sum);
    close(fd);
    unlink(path);
    return sum;
}

#define EXT4 "ext4 983040 1 - Live 0xffffffffc0500000\n"

TEST(module_list_that_changed)
{
    uint64_t sum = sum_of(EXT4 "mbcache 16384 1 ext4, Live 0xffffffffc0400000 "
                               "(OE)\n");

    CHECK(sum);
    CHECK(sum != sum_of(EXT4));
    CHECK(sum != sum_of(""));
    /* The module was loaded again elsewhere. */
    CHECK(sum != sum_of(EXT4 "mbcache 16384 1 ext4, Live 0xffffffffc0410000 "
                             "(OE)\n"));
}

/* A module's use count changes all the time. */
TEST(module_list_that_is_only_used)
{
    CHECK_EQ(sum_of(EXT4), sum_of("ext4 983040 7 a,b, Live "
                                  "0xffffffffc0500000\n"));
}

TEST(module_list_that_cannot_be_read)
{
    CHECK_EQ(kmods_sum(-1), 0);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who ran, of words that a guest chose. */
#include <string.h>

#include "daemon/guests/guest-thread.h"
#include "tests/harness.h"

static struct xenoprof_task task_named(const char *comm, size_t size)
{
    struct xenoprof_task task = {
        .list = 1, .stored = 32, .word = {7 | 6ull << 32, 123456789}};

    memcpy(&task.word[2], comm, size);
    return task;
}

static void check_comm(const char *comm, size_t size, const char *wanted)
{
    const struct xenoprof_task task = task_named(comm, size);
    const struct xenoprof_thread thread = guest_thread(&task);

    CHECK_TEXT(thread.comm, wanted);
    for ( size_t i = strlen(wanted); i < sizeof(thread.comm); i++ )
        CHECK_EQ(thread.comm[i], 0);
}

TEST(thread_of_a_task)
{
    const struct xenoprof_task task = task_named("kworker/0:1", 12);
    const struct xenoprof_thread thread = guest_thread(&task);

    CHECK_EQ(thread.pid, 6);
    CHECK_EQ(thread.tid, 7);
    CHECK_EQ(thread.start, 123456789);
    CHECK_TEXT(thread.comm, "kworker/0:1");
}

TEST(thread_whose_name_is_not_fit_to_be_shown)
{
    check_comm("Web Content", 12, "Web Content");
    check_comm("\033[31m\nx\x7f\xc3\xa4", 11, "?[31m?x???");
    check_comm("0123456789abcdef", 16, "0123456789abcde");
    check_comm("old\0secret", 11, "old");
    check_comm("", 1, "?");
}

/* xenopctl --labels=pid */
TEST(thread_whose_name_was_not_to_be_read)
{
    const struct xenoprof_task task = {
        .list = 1, .stored = 16, .word = {7 | 6ull << 32, 5}};
    const struct xenoprof_thread thread = guest_thread(&task);

    CHECK_EQ(thread.pid, 6);
    CHECK_EQ(thread.tid, 7);
    CHECK_EQ(thread.start, 5);
    CHECK_TEXT(thread.comm, "[not read]");
}

TEST(thread_of_which_something_is_missing)
{
    struct xenoprof_task task = task_named("a", 2);

    CHECK(!*guest_thread(NULL).comm);
    task.failed = 8;
    CHECK(!*guest_thread(&task).comm);
    CHECK_EQ(guest_thread(&task).pid, 0);
    task.failed = 0;
    task.stored = 24;
    CHECK(!*guest_thread(&task).comm);
    task.stored = 48;
    CHECK(!*guest_thread(&task).comm);
    task.stored = 32;
    CHECK_TEXT(guest_thread(&task).comm, "a");
}

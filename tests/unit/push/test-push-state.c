/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "control/push-file.h"
#include "push/push-state.h"
#include "tests/harness.h"

static char dir[TEST_FOLDER_MAX];
static int folder;

static void begin(void)
{
    test_make_folder(dir, "xenoprof-test-XXXXXX");
    folder = open(dir, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    CHECK(folder >= 0);
}

static void put_file(const char *text)
{
    int fd = openat(folder, PUSH_FILE_NAME, O_WRONLY | O_CREAT | O_TRUNC, 0600);

    CHECK(fd >= 0);
    CHECK_EQ(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    close(fd);
}

TEST(state_counts_on)
{
    struct status_push state, found;
    struct push_queue queue = {.samples = 7, .bytes = 9, .count = 1};

    begin();
    push_state_open(&state, folder);
    CHECK_EQ(state.sent_samples, 0);
    state.sent_samples = 5;
    STATUS_COPY(state.state, "ended");
    STATUS_COPY(state.error, "some\ntrouble");
    queue.dropped[QUEUE_DROP_AGE] = (struct queue_dropped){1, 4};
    push_state_queue(&state, &queue);
    push_state_queue(&state, &queue);
    CHECK_EQ(state.dropped_samples, 4);
    CHECK_EQ(state.dropped_age, 4);
    CHECK(push_state_write(&state, folder));
    CHECK(push_file_find(dir, &found));
    CHECK_TEXT(found.error, "some\ntrouble");
    CHECK_EQ(found.queued_samples, 7);
    push_state_open(&state, folder);
    CHECK_EQ(state.sent_samples, 5);
    CHECK_TEXT(state.error, "");
}

/* Whoever was killed says nothing any more; who has the lock lives. */
TEST(state_of_one_that_was_killed)
{
    struct status_push found;
    int other;

    begin();
    CHECK(!push_file_find(dir, &found));
    put_file("push state=waiting pid=1\n");
    CHECK(push_file_find(dir, &found));
    CHECK_TEXT(found.state, "gone");
    other = open(dir, O_RDONLY | O_DIRECTORY);
    CHECK_EQ(flock(other, LOCK_EX), 0);
    CHECK(push_file_find(dir, &found));
    CHECK_TEXT(found.state, "waiting");
    close(other);
}

TEST(state_is_read_with_care)
{
    static const char *const texts[] = {
        "", "push", "pull state=x\n", "push a=1\npush a=1\n", "\n",
    };
    struct status_push found;
    static char much[PUSH_FILE_MAX + 2];

    begin();
    for ( size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++ )
    {
        put_file(texts[i]);
        CHECK(!push_file_find(dir, &found));
    }
    memset(much, 'x', sizeof(much) - 2);
    memcpy(much, "push ", 5);
    much[sizeof(much) - 2] = '\n';
    put_file(much);
    CHECK(!push_file_find(dir, &found));
    unlinkat(folder, PUSH_FILE_NAME, 0);
    CHECK_EQ(symlinkat("/etc/passwd", folder, PUSH_FILE_NAME), 0);
    CHECK(!push_file_find(dir, &found));
    unlinkat(folder, PUSH_FILE_NAME, 0);
    CHECK_EQ(mkfifoat(folder, PUSH_FILE_NAME, 0600), 0);
    CHECK(!push_file_find(dir, &found));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "push/push-queue.h"
#include "tests/harness.h"

static char folder_path[TEST_FOLDER_MAX];
static int folder = -1;

/* A queue in a folder of its own; the next one is in the same folder. */
static struct push_queue queue_in(bool fresh)
{
    struct push_queue queue = {.bytes_max = 1u << 20, .age_max = 1000};
    struct failure failure = {0};

    if ( fresh )
    {
        test_make_folder(folder_path, "xenoprof-test-XXXXXX");
        folder = open(folder_path, O_RDONLY | O_DIRECTORY);
    }
    CHECK_EQ(queue_open(&queue, folder, &failure), 0);
    return queue;
}

static void put_text(struct push_queue *queue, const char *text,
                     uint64_t samples, uint64_t to)
{
    struct queue_head head = {.samples = samples, .to = to, .engine = "otlp"};
    struct buffer body = {0};
    struct failure failure = {0};

    CHECK(buffer_append(&body, text, strlen(text)));
    head.position = samples;
    CHECK_EQ(queue_put(queue, &head, &body, &failure), 0);
    buffer_free(&body);
}

static void check_first(struct push_queue *queue, const char *text,
                        uint64_t samples)
{
    struct queue_head head;
    struct buffer body = {0};

    CHECK(queue_first(queue, &head, &body));
    CHECK_EQ(body.used, strlen(text));
    CHECK(memcmp(body.bytes, text, body.used) == 0);
    CHECK_EQ(head.samples, samples);
    CHECK_TEXT(head.engine, "otlp");
    buffer_free(&body);
}

static void check_empty(struct push_queue *queue)
{
    struct queue_head head;
    struct buffer body = {0};

    CHECK(!queue_first(queue, &head, &body));
    CHECK_EQ(queue_count(queue), 0);
    CHECK_EQ(queue->bytes, 0);
    CHECK_EQ(queue->samples, 0);
    buffer_free(&body);
}

static void overwrite(const char *name, long at, const char *bytes)
{
    char path[TEST_FOLDER_MAX + 64];
    FILE *file;

    snprintf(path, sizeof(path), "%s/%s", folder_path, name);
    file = fopen(path, "r+");
    CHECK(file);
    CHECK(fseek(file, at, at < 0 ? SEEK_END : SEEK_SET) == 0);
    CHECK(fputs(bytes, file) >= 0);
    CHECK(fclose(file) == 0);
}

#define FIRST_FILE "00000000000000000000.window"

TEST(queue_keeps_order_and_survives)
{
    struct push_queue queue = queue_in(true);

    check_empty(&queue);
    put_text(&queue, "one", 1, 10);
    put_text(&queue, "two", 2, 20);
    put_text(&queue, "three", 4, 30);
    check_first(&queue, "one", 1);
    queue_done(&queue);
    queue_close(&queue);
    queue = queue_in(false);
    CHECK_EQ(queue_count(&queue), 2);
    CHECK_EQ(queue.samples, 6);
    CHECK_EQ(queue.last.position, 4);
    check_first(&queue, "two", 2);
    queue_done(&queue);
    put_text(&queue, "four", 8, 40);
    check_first(&queue, "three", 4);
    queue_done(&queue);
    check_first(&queue, "four", 8);
    queue_done(&queue);
    check_empty(&queue);
    queue_close(&queue);
}

TEST(queue_drops_the_oldest_for_room)
{
    struct push_queue queue = queue_in(true);

    put_text(&queue, "one", 1, 10);
    queue.bytes_max = 2 * queue.bytes + 1;
    put_text(&queue, "two", 2, 10);
    put_text(&queue, "six", 4, 10);
    CHECK_EQ(queue.dropped[QUEUE_DROP_SIZE].windows, 1);
    CHECK_EQ(queue.dropped[QUEUE_DROP_SIZE].samples, 1);
    check_first(&queue, "two", 2);
    /* What never fits is dropped itself. */
    queue.bytes_max = 10;
    put_text(&queue, "seven", 7, 10);
    CHECK_EQ(queue.dropped[QUEUE_DROP_SIZE].samples, 8);
    CHECK_EQ(queue_count(&queue), 2);
    queue_close(&queue);
}

TEST(queue_drops_what_is_old)
{
    struct push_queue queue = queue_in(true);

    put_text(&queue, "one", 1, 1000);
    put_text(&queue, "two", 2, 1001);
    queue_expire(&queue, 2000);
    CHECK_EQ(queue_count(&queue), 2);
    queue_expire(&queue, 2001);
    CHECK_EQ(queue.dropped[QUEUE_DROP_AGE].samples, 1);
    /* A clock that was put back makes nothing old. */
    queue_expire(&queue, 0);
    check_first(&queue, "two", 2);
    queue_close(&queue);
}

/* The last byte of a body, the first of a head: each by its sum. */
TEST(queue_finds_what_is_torn)
{
    struct push_queue queue = queue_in(true);

    put_text(&queue, "one", 1, 10);
    put_text(&queue, "two", 2, 20);
    overwrite(FIRST_FILE, -1, "x");
    check_first(&queue, "two", 2);
    CHECK_EQ(queue.dropped[QUEUE_DROP_TORN].windows, 1);
    CHECK_EQ(queue.dropped[QUEUE_DROP_TORN].samples, 1);
    overwrite("00000000000000000001.window", 40, "x");
    queue_close(&queue);
    queue = queue_in(false);
    CHECK_EQ(queue.dropped[QUEUE_DROP_TORN].windows, 1);
    check_empty(&queue);
    queue_close(&queue);
}

TEST(queue_takes_up_whole_files_only)
{
    struct push_queue queue = queue_in(true);
    char path[TEST_FOLDER_MAX + 64];

    put_text(&queue, "one", 1, 10);
    queue_close(&queue);
    snprintf(path, sizeof(path), "%s/" FIRST_FILE, folder_path);
    CHECK_EQ(truncate(path, 100), 0);
    snprintf(path, sizeof(path), "%s/new", folder_path);
    fclose(fopen(path, "w"));
    snprintf(path, sizeof(path), "%s/7.window", folder_path);
    fclose(fopen(path, "w"));
    queue = queue_in(false);
    CHECK_EQ(queue.dropped[QUEUE_DROP_TORN].windows, 1);
    check_empty(&queue);
    CHECK(faccessat(folder, "new", F_OK, 0) != 0);
    CHECK(faccessat(folder, "7.window", F_OK, 0) == 0);
    queue_close(&queue);
}

/* Nothing outside of the folder is read, or written to. */
TEST(queue_follows_no_link)
{
    struct push_queue queue = queue_in(true);
    struct queue_head head = {.samples = 1};
    struct buffer body = {0};
    struct failure failure = {0};

    CHECK_EQ(symlinkat("/etc/passwd", folder, FIRST_FILE), 0);
    CHECK_EQ(symlinkat("/dev/full", folder, "new"), 0);
    CHECK_EQ(queue_put(&queue, &head, &body, &failure), STATUS_DISK_FULL);
    CHECK_EQ(queue_count(&queue), 0);
    queue_close(&queue);
    queue = queue_in(false);
    CHECK_EQ(queue.dropped[QUEUE_DROP_TORN].windows, 1);
    queue_close(&queue);
}

TEST(queue_says_that_the_disk_is_full)
{
    struct push_queue queue = queue_in(true);
    struct queue_head head = {.samples = 1};
    struct buffer body = {0};
    struct failure failure = {0};

    CHECK_EQ(mkdirat(folder, "new", 0700), 0);
    CHECK_EQ(queue_put(&queue, &head, &body, &failure), STATUS_DISK_FULL);
    CHECK(strstr(failure.text, "queue"));
    check_empty(&queue);
    queue_close(&queue);
}

/* Memory does not grow with what has passed. */
TEST(queue_stays_small)
{
    struct push_queue queue = queue_in(true);

    for ( unsigned int i = 0; i < 3000 / test_share(); i++ )
    {
        put_text(&queue, "one", 1, 10);
        queue_done(&queue);
    }
    CHECK(queue.room <= 4096);
    check_empty(&queue);
    queue_close(&queue);
}

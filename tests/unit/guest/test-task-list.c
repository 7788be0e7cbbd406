/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fetch lists of tasks, and what their words spell. */
#include <string.h>

#include "guest/task-list.h"
#include "tests/harness.h"

#define BASE 0xffff888012340000ull

static const struct task_offsets debian12 = {2416, 2776, 2976};
static struct task_list list;

TEST(a_list_that_xen_takes)
{
    task_list_make(&debian12, &list);
    CHECK(!xenoprof_fetch_is_right(&list.fetch)); /* for no vCPU yet */
    CHECK(task_list_add(&list, 2, BASE));
    CHECK(xenoprof_fetch_is_right(&list.fetch));
    CHECK(task_list_is_sound(&list));
    CHECK_EQ(list.fetch.vcpus, 3);
    CHECK_EQ(list.vcpus, 1);
    CHECK_EQ(list.fetch.steps, 4);
    CHECK_EQ(xenoprof_fetch_stored(&list.fetch, 4), 32);
    CHECK_EQ(list.fetch.step[1].offset, 2416);
    CHECK_EQ(list.fetch.step[2].offset, 2776);
    CHECK_EQ(list.fetch.step[3].offset, 2976);
}

TEST(bases_that_vcpus_may_not_have)
{
    task_list_make(&debian12, &list);
    CHECK(task_list_add(&list, 0, BASE));
    CHECK(!task_list_add(&list, 0, BASE + 8));
    CHECK(!task_list_add(&list, 1, 0));
    CHECK(!task_list_add(&list, 1, 0x7fffffffffffull));
    CHECK(!task_list_add(&list, XENOPROF_FETCH_VCPUS, BASE));
    CHECK(!task_list_add(&list, UINT32_MAX, BASE));
    CHECK(task_list_add(&list, XENOPROF_FETCH_VCPUS - 1, BASE));
    CHECK_EQ(list.vcpus, 2);
    CHECK_EQ(list.fetch.base[0], BASE);
    CHECK(task_list_is_sound(&list));
}

/* A search that its guest has taken over may say anything. */
TEST(lists_of_others)
{
    struct task_list bad = {.status = TASK_LIST_STATUSES};

    CHECK(!task_list_is_sound(&bad));
    bad.status = TASK_LIST_NO_TYPES;
    CHECK(task_list_is_sound(&bad));
    bad.status = TASK_LIST_KNOWN;
    CHECK(!task_list_is_sound(&bad));
    task_list_make(&debian12, &list);
    task_list_add(&list, 0, BASE);
    bad = list;
    bad.fetch.step[3].offset = XENOPROF_FETCH_OFFSET_MAX + 1;
    CHECK(!task_list_is_sound(&bad));
    bad = list;
    bad.fetch.base[0] = 8;
    CHECK(!task_list_is_sound(&bad));
    bad = list;
    bad.vcpus = XENOPROF_FETCH_VCPUS + 1;
    CHECK(!task_list_is_sound(&bad));
    bad = list;
    bad.fetch.step[1].from = 3;
    CHECK(!task_list_is_sound(&bad));
}

TEST(each_status_has_its_sentence)
{
    for ( int i = 0; i < TASK_LIST_STATUSES; i++ )
        CHECK_EQ(task_list_why(i)[0] != '\0', i != TASK_LIST_KNOWN);
}

static struct xenoprof_task words(uint32_t tid, uint32_t pid, uint64_t start,
                                  const char *comm)
{
    struct xenoprof_task part = {.stored = 32, .list = 1};

    part.word[0] = tid | (uint64_t)pid << 32;
    part.word[1] = start;
    memcpy(&part.word[2], comm, strnlen(comm, 16));
    return part;
}

TEST(words_of_a_task)
{
    struct xenoprof_task part = words(4711, 4700, 123456789, "postgres");
    struct guest_task task;

    CHECK(task_decode(&part, &task));
    CHECK_EQ(task.tid, 4711);
    CHECK_EQ(task.pid, 4700);
    CHECK_EQ(task.start, 123456789);
    CHECK(!strcmp(task.comm, "postgres"));
    part = words(0, 0, 0, "swapper/3");
    CHECK(task_decode(&part, &task));
    CHECK(!strcmp(task.comm, "swapper/3"));
    part = words(4194304, 1, 0, "too many");
    CHECK(!task_decode(&part, &task));
    part = words(1, 4194304, 0, "too many");
    CHECK(!task_decode(&part, &task));
}

/* What could not be read is zero, which would be the idle task. */
TEST(words_that_were_not_read)
{
    struct xenoprof_task part = words(7, 7, 7, "seven");
    struct guest_task task;

    for ( int step = 0; step < 4; step++ )
    {
        part.failed = (uint8_t)(1u << step);
        CHECK(!task_decode(&part, &task));
    }
    part.failed = 0;
    part.stored = 24;
    CHECK(!task_decode(&part, &task));
    part.stored = 40;
    CHECK(!task_decode(&part, &task));
}

TEST(names_are_printable)
{
    struct xenoprof_task part = words(7, 7, 7, "a\033[2J\xc3\xa9 b");
    struct guest_task task;

    CHECK(task_decode(&part, &task));
    CHECK(!strcmp(task.comm, "a?[2J?? b"));
    part = words(7, 7, 7, "sixteen letters!!");
    CHECK(task_decode(&part, &task));
    CHECK(!strcmp(task.comm, "sixteen letters"));
}

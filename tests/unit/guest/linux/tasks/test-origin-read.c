/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Programs and cgroups of threads of a kernel that the kit made, which may lie
 * without end. */
#include <string.h>

#include "base/buffer.h"
#include "guest/kernel.h"
#include "guest/linux/tasks/origin-read.h"
#include "tests/harness.h"
#include "tests/unit/guest/linux/kernel-kit.h"

#define BUDGET (1u << 20)

static struct fake_kernel fake;
static struct kernel_images *images;
static struct kernel *kernel;
static struct thread_origin origin;
static struct fake_thread thread;
static uint64_t root, usr, slice, task;

/* Returns how many bytes of the guest that took. */
static uint64_t read_origin(bool expected)
{
    const struct origin_thread wanted = {thread.start, thread.pid, thread.tid};

    fake.memory.left = BUDGET;
    memset(&origin, 'x', sizeof(origin));
    CHECK_EQ(kernel_get_origin(kernel, &fake.memory, &wanted, &origin),
             expected);
    CHECK(origin_path_is_sound(origin.exe));
    CHECK(origin_path_is_sound(origin.cgroup));
    return BUDGET - fake.memory.left;
}

static void find(const struct fake_form *form)
{
    struct fake_form with = *form;

    with.cpus = 1;
    fake_kernel_open(&fake, &with);
    images = kernel_images_open();
    CHECK(images);
    CHECK_EQ(
        kernel_find(images, &fake.memory, fake_function(&fake, 5) + 1, &kernel),
        KERNEL_OK);
}

/* Thread 1234 of process 1200, /usr/bin/sleep, of which /usr is mounted. */
static void begin(const struct fake_form *form)
{
    struct fake_form with = *form;
    uint64_t mount, slash;

    with.origins = true;
    with.functions = form->functions ? form->functions : 4000;
    find(&with);
    root = fake_dentry(&fake, "/", 0);
    mount = fake_mount(&fake, root, 0, 0);
    usr = fake_dentry(&fake, "usr", root);
    slash = fake_dentry(&fake, "/", 0);
    thread = (struct fake_thread){.start = 77, .pid = 1200, .tid = 1234};
    thread.mount = fake_mount(&fake, slash, mount, usr);
    thread.program = fake_dentry(&fake, "sleep",
                                 fake_dentry(&fake, "bin", slash));
    slice = fake_kernfs(&fake, "system.slice", fake_kernfs(&fake, "", 0));
    thread.cgroup = fake_kernfs(&fake, "nap.service", slice);
    task = fake_thread(&fake, &thread);
}

static void end(void)
{
    kernel_close(kernel);
    kernel_images_close(images);
    fake_kernel_close(&fake);
}

static void put(uint64_t address, uint64_t value)
{
    memcpy(fake_bytes(&fake, address), &value, sizeof(value));
}

static uint64_t get(uint64_t address)
{
    uint64_t value;

    memcpy(&value, fake_bytes(&fake, address), sizeof(value));
    return value;
}

TEST(origins_of_kernels)
{
    static const struct fake_form forms[] = {
        {.isolated = true},
        {.functions = 20000, .new_order = true, .by_name_width = 3},
    };

    for ( unsigned int i = 0; i < sizeof(forms) / sizeof(forms[0]); i++ )
    {
        begin(&forms[i]);
        CHECK(read_origin(true) < 4096);
        CHECK_TEXT(origin.exe, "/usr/bin/sleep");
        CHECK_TEXT(origin.cgroup, "/system.slice/nap.service");
        end();
    }
}

/* Through the tables that a search leaves, as a process reads them. */
TEST(origins_of_known_kernels)
{
    struct buffer image = {0};
    struct kernel_tables tables = {0};
    struct task_list list;

    begin(&(struct fake_form){0});
    CHECK(kernel_put_image(kernel, &image, &tables.base));
    tables.image = image.bytes;
    tables.image_size = image.used;
    kernel_close(kernel);
    CHECK_EQ(kernel_from_tables(&tables, &kernel), KERNEL_OK);
    read_origin(true);
    CHECK_TEXT(origin.exe, "/usr/bin/sleep");
    kernel_get_tasks(kernel, &fake.memory, false, &list);
    CHECK_EQ(list.origins, 1);
    end();
    buffer_free(&image);
}

TEST(a_kernel_whose_types_lack_them)
{
    struct task_list list;

    find(&(struct fake_form){.functions = 4000});
    thread = (struct fake_thread){.start = 77, .pid = 1200, .tid = 1234};
    CHECK_EQ(read_origin(false), 0);
    fake.memory.left = BUDGET;
    kernel_get_tasks(kernel, &fake.memory, false, &list);
    CHECK_EQ(list.status, TASK_LIST_KNOWN);
    CHECK_EQ(list.origins, 0);
    end();
}

TEST(a_kernel_thread_in_the_root_group)
{
    begin(&(struct fake_form){0});
    thread = (struct fake_thread){.start = 5, .pid = 2, .tid = 2};
    thread.cgroup = fake_kernfs(&fake, "", 0);
    fake_thread(&fake, &thread);
    read_origin(true);
    CHECK_TEXT(origin.exe, "");
    CHECK_TEXT(origin.cgroup, "/");
    end();
}

/* Its number is another's by now, or nobody's. */
TEST(threads_that_are_gone)
{
    begin(&(struct fake_form){0});
    thread.start++;
    read_origin(false);
    thread.start--;
    thread.pid++;
    read_origin(false);
    thread.pid--;
    thread.tid++;
    read_origin(false);
    thread.tid = 4000000; /* the tree holds fewer */
    read_origin(false);
    thread.tid = 1234;
    put(get(task + FAKE_AT_CGROUPS) + FAKE_AT_CGROUP, 0);
    read_origin(true);
    CHECK_TEXT(origin.cgroup, "");
    CHECK_TEXT(origin.exe, "/usr/bin/sleep");
    end();
}

/* The task is another thread's when its name has been read. */
static size_t (*read_before)(void *, uint64_t, void *, size_t);

static size_t read_and_replace(void *self, uint64_t address, void *to,
                               size_t size)
{
    size_t got = read_before(self, address, to, size);

    if ( address == slice + FAKE_AT_NODE_NAME )
        put(task + FAKE_AT_START, 78);
    return got;
}

TEST(a_thread_that_is_replaced_meanwhile)
{
    begin(&(struct fake_form){0});
    read_before = fake.memory.read;
    fake.memory.read = read_and_replace;
    read_origin(false);
    CHECK_TEXT(origin.exe, "");
    CHECK_TEXT(origin.cgroup, "");
    end();
}

TEST(trees_that_have_no_end)
{
    uint64_t bin;

    begin(&(struct fake_form){0});
    bin = get(thread.program + FAKE_AT_DENTRY_PARENT);
    put(bin + FAKE_AT_DENTRY_PARENT, thread.program);
    put(slice + FAKE_AT_NODE_PARENT, thread.cgroup);
    CHECK(read_origin(true) < ORIGIN_STEPS_MAX * 1024);
    CHECK_TEXT(origin.exe, "");
    CHECK_TEXT(origin.cgroup, "");
    end();
}

/* Each is mounted at the root of the other one. */
TEST(mounts_in_a_circle)
{
    uint64_t slash, other;

    begin(&(struct fake_form){0});
    slash = get(thread.mount + FAKE_AT_MOUNT_INSIDE + 8);
    other = get(thread.mount + FAKE_AT_MOUNT_PARENT);
    put(thread.mount + FAKE_AT_MOUNT_POINT, slash);
    put(other + FAKE_AT_MOUNT_INSIDE + 8, slash);
    put(other + FAKE_AT_MOUNT_POINT, slash);
    put(other + FAKE_AT_MOUNT_PARENT, thread.mount);
    CHECK(read_origin(true) < ORIGIN_STEPS_MAX * 1024);
    CHECK_TEXT(origin.exe, "");
    CHECK_TEXT(origin.cgroup, "/system.slice/nap.service");
    end();
}

TEST(an_array_without_end)
{
    uint64_t head, node;

    begin(&(struct fake_form){0});
    head = fake_address(&fake, "init_pid_ns") + FAKE_AT_HEAD;
    node = get(head) - 2;
    for ( uint32_t i = 0; i < 64; i++ )
        put(node + FAKE_AT_SLOTS + 8 * i, node + 2);
    CHECK(read_origin(false) < 1024);
    for ( unsigned int shift = 0; shift < 256; shift++ )
    {
        *fake_bytes(&fake, node + FAKE_AT_SHIFT) = (uint8_t)shift;
        CHECK(read_origin(false) < 1024);
    }
    end();
}

TEST(names_of_4_gigabytes)
{
    begin(&(struct fake_form){0});
    put(thread.program + FAKE_AT_DENTRY_NAME, 0xffffffffull << 32);
    CHECK(read_origin(true) < 4096);
    CHECK_TEXT(origin.exe, "");
    CHECK_TEXT(origin.cgroup, "/system.slice/nap.service");
    put(thread.program + FAKE_AT_DENTRY_NAME, 0);
    read_origin(true);
    CHECK_TEXT(origin.exe, "");
    /* A name without an end. */
    memset(fake_bytes(&fake, get(slice + FAKE_AT_NODE_NAME)), 'a', 12);
    memset(fake_bytes(&fake, fake_new(&fake, 4096)), 'a', 4096);
    put(slice + FAKE_AT_NODE_NAME, fake_end(&fake.areas) - 4096);
    CHECK(read_origin(true) < 4096);
    CHECK_TEXT(origin.cgroup, "");
    end();
}

TEST(words_that_lead_nowhere)
{
    static const uint64_t words[] = {0,
                                     8,
                                     0x7fffffffffffull,
                                     0xffff888000100001ull,
                                     UINT64_MAX,
                                     0xfffffffffffffff8ull};
    const uint64_t places[] = {FAKE_AT_MM, FAKE_AT_CGROUPS};

    for ( unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++ )
        for ( unsigned int j = 0; j < 2; j++ )
        {
            begin(&(struct fake_form){0});
            put(task + places[j], words[i]);
            read_origin(true);
            CHECK_TEXT(j ? origin.cgroup : origin.exe, "");
            put(thread.mount + FAKE_AT_MOUNT_PARENT, words[i]);
            put(slice + FAKE_AT_NODE_NAME, words[i]);
            read_origin(true);
            put(fake_address(&fake, "init_pid_ns") + FAKE_AT_HEAD, words[i]);
            read_origin(false);
            end();
        }
}

/* All that may change changes now and then: nothing but sound paths comes of
 * it, and no walk goes on. */
TEST(memory_that_changes)
{
    begin(&(struct fake_form){0});
    for ( fake.noise = 1; fake.noise < 200; fake.noise++ )
    {
        const struct origin_thread wanted = {77, 1200, 1234};

        fake.memory.left = BUDGET;
        kernel_get_origin(kernel, &fake.memory, &wanted, &origin);
        CHECK(origin_path_is_sound(origin.exe));
        CHECK(origin_path_is_sound(origin.cgroup));
        CHECK(BUDGET - fake.memory.left < 4 * ORIGIN_STEPS_MAX * 1024);
    }
    end();
}

TEST(without_budget)
{
    const struct origin_thread wanted = {77, 1200, 1234};

    begin(&(struct fake_form){0});
    for ( uint64_t budget = 0; budget < 2048; budget += 64 )
    {
        fake.memory.left = budget;
        kernel_get_origin(kernel, &fake.memory, &wanted, &origin);
        CHECK(!*origin.exe || !strcmp(origin.exe, "/usr/bin/sleep"));
    }
    end();
}

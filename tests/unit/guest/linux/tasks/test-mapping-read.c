/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What processes of a kernel that the kit made have mapped, in lists and in
 * trees, which may lie without end. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "guest/kernel.h"
#include "guest/linux/tasks/area-tree.h"
#include "guest/linux/tasks/code-areas.h"
#include "tests/harness.h"
#include "tests/unit/guest/linux/kernel-kit.h"

#define BUDGET (2u << 20)
#define CODE   0x400000u
#define LIBS   0x7f0000000000ull
#define EXEC   4u

static struct fake_kernel fake;
static struct kernel_images *images;
static struct kernel *kernel;
static struct mapped_space space;
static struct fake_thread thread;
static uint64_t root, mount, lib, program, task, first;

/* Returns how many bytes of the guest that took. */
static uint64_t read_as(const char *comm, bool expected)
{
    struct mapped_process wanted = {
        .thread = {thread.start, thread.pid, thread.tid}};
    static uint8_t flat[MAPPED_FLAT_MAX];
    static struct mapped_space again;

    fake.memory.left = BUDGET;
    strcpy(wanted.comm, comm);
    memset(&space, 'x', sizeof(space));
    CHECK_EQ(kernel_get_mapped(kernel, &fake.memory, &wanted, &space),
             expected);
    CHECK(expected || !space.count);
    CHECK(mapped_space_get(flat, mapped_space_put(&space, flat), &again));
    return BUDGET - fake.memory.left;
}

static uint64_t read_mapped(bool expected)
{
    return read_as("sleep", expected);
}

static void check_piece(uint32_t at, uint64_t start, uint64_t end,
                        uint64_t offset, const char *path)
{
    CHECK(at < space.count);
    CHECK_EQ(space.code[at].start, start);
    CHECK_EQ(space.code[at].end, end);
    CHECK_EQ(space.code[at].offset, offset);
    CHECK_TEXT(mapped_path(&space, &space.code[at]), path);
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

static void map(const struct fake_mapping *areas, uint32_t count,
                uint32_t width)
{
    first = fake_map(&fake, task, areas, count, width);
}

/* /bin/sleep and a library, with data between them, and the stack. */
static void map_usual(uint32_t width)
{
    const struct fake_mapping areas[] = {
        {CODE, CODE + 0x1000, 0, 0, mount, program},
        {CODE + 0x1000, CODE + 0x4000, 1, EXEC, mount, program},
        {CODE + 0x4000, CODE + 0x5000, 4, 0, mount, program},
        {LIBS, LIBS + 0x2000, 0, 0, mount, lib},
        {LIBS + 0x2000, LIBS + 0x9000, 2, EXEC, mount, lib},
        {LIBS + 0x10000, LIBS + 0x11000, 0, EXEC, 0, 0},
        {LIBS + 0x20000, LIBS + 0x40000, 0, 0, 0, 0},
    };

    map(areas, sizeof(areas) / sizeof(areas[0]), width);
}

static void check_usual(void)
{
    CHECK_EQ(space.count, 3);
    check_piece(0, CODE + 0x1000, CODE + 0x4000, 0x1000, "/bin/sleep");
    check_piece(1, LIBS + 0x2000, LIBS + 0x9000, 0x2000, "/usr/lib/libc.so");
    check_piece(2, LIBS + 0x10000, LIBS + 0x11000, 0, "");
}

static void find(const struct fake_form *form)
{
    fake_kernel_open(&fake, form);
    images = kernel_images_open();
    CHECK(images);
    CHECK_EQ(
        kernel_find(images, &fake.memory, fake_function(&fake, 5) + 1, &kernel),
        KERNEL_OK);
}

/* Thread 1234 of process 1200, and process 1. */
static void begin(const struct fake_form *form)
{
    struct fake_thread init = {.start = 1, .pid = 1, .tid = 1};
    struct fake_form with = *form;
    uint64_t usr, below;

    with.origins = true;
    with.cpus = 1;
    with.functions = form->functions ? form->functions : 4000;
    find(&with);
    root = fake_dentry(&fake, "/", 0);
    below = fake_dentry(&fake, "/", 0);
    mount = fake_mount(&fake, root, fake_mount(&fake, below, 0, 0), below);
    usr = fake_dentry(&fake, "usr", root);
    lib = fake_dentry(&fake, "libc.so", fake_dentry(&fake, "lib", usr));
    program = fake_dentry(&fake, "sleep", fake_dentry(&fake, "bin", root));
    init.root = root;
    init.program = program;
    init.mount = mount;
    fake_thread(&fake, &init);
    thread = init;
    thread.start = 77;
    thread.pid = 1200;
    thread.tid = 1234;
    thread.comm = "sleep";
    task = fake_thread(&fake, &thread);
}

static void begin_usual(void)
{
    begin(&(struct fake_form){0});
    map_usual(4);
}

static void end(void)
{
    kernel_close(kernel);
    kernel_images_close(images);
    fake_kernel_close(&fake);
}

TEST(processes_of_kernels)
{
    static const struct fake_form forms[] = {
        {.isolated = true},
        {.lists = true},
        {.functions = 20000, .new_order = true, .by_name_width = 3},
    };

    for ( unsigned int i = 0; i < sizeof(forms) / sizeof(forms[0]); i++ )
        for ( uint32_t width = 2; width <= 16; width++ )
        {
            begin(&forms[i]);
            map_usual(width);
            CHECK(read_mapped(true) < 16384);
            check_usual();
            end();
        }
}

/* Through the tables that a search leaves, as a process reads them. */
TEST(processes_of_known_kernels)
{
    struct buffer image = {0};
    struct kernel_tables tables = {0};
    struct task_list list;

    begin_usual();
    CHECK(kernel_put_image(kernel, &image, &tables.base));
    tables.image = image.bytes;
    tables.image_size = image.used;
    kernel_close(kernel);
    CHECK_EQ(kernel_from_tables(&tables, &kernel), KERNEL_OK);
    read_mapped(true);
    check_usual();
    kernel_get_tasks(kernel, &fake.memory, false, &list);
    CHECK_EQ(list.mapped, 1);
    end();
    buffer_free(&image);
}

TEST(a_kernel_whose_types_lack_them)
{
    struct task_list list;

    find(&(struct fake_form){.functions = 4000, .cpus = 1});
    thread = (struct fake_thread){.start = 77, .pid = 1200, .tid = 1234};
    CHECK_EQ(read_mapped(false), 0);
    fake.memory.left = BUDGET;
    kernel_get_tasks(kernel, &fake.memory, false, &list);
    CHECK_EQ(list.mapped, 0);
    end();
}

/* Trees of one to four levels, with nodes of each width, gaps or none between
 * areas. */
TEST(many_areas)
{
    static struct fake_mapping areas[700];
    const uint32_t counts[] = {0, 1, 2, 14, 15, 16, 17, 150, 700};

    for ( unsigned int i = 0; i < sizeof(counts) / sizeof(counts[0]); i++ )
        for ( uint32_t width = 2; width <= 16; width += 1 + i / 2 )
        {
            uint64_t at = CODE;

            for ( uint32_t j = 0; j < counts[i]; j++ )
            {
                areas[j] = (struct fake_mapping){
                    .start = at, .end = at + 4096, .page = j, .flags = EXEC};
                at += j % 3 ? 4096 : 8192;
            }
            begin(&(struct fake_form){.lists = width == 3});
            map(areas, counts[i], width);
            /* Two children each are more than eight levels. */
            if ( counts[i] < 150 || width > 3 )
            {
                read_mapped(true);
                CHECK_EQ(space.count, counts[i]);
            }
            for ( uint32_t j = 0; j < space.count; j++ )
                check_piece(j, areas[j].start, areas[j].end, 4096 * j, "");
            end();
        }
}

/* Of too many the first ones are kept. */
TEST(more_than_are_kept)
{
    const uint32_t count = AREAS_MAX + 100;
    struct fake_mapping *areas = calloc(count, sizeof(*areas));

    CHECK(areas);
    for ( int lists = 0; lists < 2; lists++ )
    {
        for ( uint32_t i = 0; i < count; i++ )
            areas[i] = (struct fake_mapping){
                .start = CODE + 8192 * i,
                .end = CODE + 8192 * i + 4096,
                .flags = i >= AREAS_MAX - 3 ? EXEC : 0,
            };
        begin(&(struct fake_form){.lists = lists});
        map(areas, count, 16);
        read_mapped(true);
        CHECK_EQ(space.count, 3);
        end();
        for ( uint32_t i = 0; i < count; i++ )
            areas[i].flags = EXEC;
        begin(&(struct fake_form){.lists = lists});
        map(areas, count, 16);
        read_mapped(true);
        CHECK_EQ(space.count, MAPPED_MAX);
        end();
    }
    free(areas);
}

/* The only entry of a tree is its root. */
TEST(a_tree_that_is_one_area)
{
    uint64_t leaf, area;

    begin_usual();
    map_usual(16);
    leaf = get(first) & ~255ull;
    area = get(leaf + FAKE_AT_RANGE_SLOTS + 16);
    put(first, area);
    read_mapped(true);
    CHECK_EQ(space.count, 1);
    check_piece(0, CODE + 0x1000, CODE + 0x4000, 0x1000, "/bin/sleep");
    put(first, 0);
    read_mapped(true);
    CHECK_EQ(space.count, 0);
    end();
}

/* It has no memory. */
TEST(a_kernel_thread)
{
    begin_usual();
    put(task + FAKE_AT_MM, 0);
    read_mapped(false);
    end();
}

/* Its number is another's by now, or it became another program. */
TEST(threads_that_are_gone)
{
    begin_usual();
    thread.start++;
    read_mapped(false);
    thread.start--;
    thread.pid++;
    read_mapped(false);
    thread.pid--;
    thread.tid++;
    read_mapped(false);
    thread.tid = 1234;
    read_as("sh", false);
    read_as("", true);
    read_mapped(true);
    end();
}

/* When its areas have been read, it is another one, or another program. */
static size_t (*read_before)(void *, uint64_t, void *, size_t);
static uint64_t watched, changed, changed_to;

static size_t read_and_change(void *self, uint64_t address, void *to,
                              size_t size)
{
    size_t got = read_before(self, address, to, size);

    if ( address == watched )
        put(changed, changed_to);
    return got;
}

TEST(a_thread_that_is_replaced_meanwhile)
{
    static const uint64_t places[] = {FAKE_AT_START, FAKE_AT_COMM, FAKE_AT_MM};

    for ( int i = 0; i < 3; i++ )
    {
        begin_usual();
        watched = get(program + FAKE_AT_DENTRY_NAME + 8);
        changed = task + places[i];
        changed_to = fake_new(&fake, 1024);
        read_before = fake.memory.read;
        fake.memory.read = read_and_change;
        read_mapped(false);
        end();
    }
}

/* Files that the paths of the guest's file system do not lead to. */
TEST(files_that_are_removed)
{
    begin_usual();
    put(lib + FAKE_AT_DENTRY_HASH + 8, 0);
    read_mapped(true);
    CHECK_EQ(space.count, 3);
    check_piece(0, CODE + 0x1000, CODE + 0x4000, 0x1000, "/bin/sleep");
    check_piece(1, LIBS + 0x2000, LIBS + 0x9000, 0x2000, "");
    end();
}

/* A container's root is mounted over another one. */
TEST(files_of_another_root)
{
    uint64_t slash, other;
    struct fake_mapping area = {CODE, CODE + 4096, 0, EXEC, 0, 0};

    begin_usual();
    slash = fake_dentry(&fake, "/", 0);
    other = fake_mount(&fake, slash, 0, 0);
    area.mount = other;
    area.dentry = fake_dentry(&fake, "sleep", fake_dentry(&fake, "bin", slash));
    map(&area, 1, 16);
    read_mapped(true);
    CHECK_EQ(space.count, 1);
    check_piece(0, CODE, CODE + 4096, 0, "");
    /* Another file system that is mounted in the root is none. */
    put(other + FAKE_AT_MOUNT_PARENT, mount);
    put(other + FAKE_AT_MOUNT_POINT, fake_dentry(&fake, "opt", root));
    read_mapped(true);
    check_piece(0, CODE, CODE + 4096, 0, "/opt/bin/sleep");
    /* A file of shared memory, in no directory. */
    area.dentry = fake_dentry(&fake, "memfd:x", 0);
    map(&area, 1, 16);
    read_mapped(true);
    check_piece(0, CODE, CODE + 4096, 0, "");
    end();
}

TEST(paths_that_are_too_long)
{
    struct fake_mapping area = {CODE, CODE + 4096, 0, EXEC, 0, 0};
    uint64_t at;
    char name[128];

    begin_usual();
    memset(name, 'n', sizeof(name) - 1);
    name[sizeof(name) - 1] = '\0';
    at = root;
    for ( int i = 0; i < 4; i++ )
        at = fake_dentry(&fake, name, at);
    area.mount = mount;
    area.dentry = at;
    map(&area, 1, 16);
    read_mapped(true);
    check_piece(0, CODE, CODE + 4096, 0, "");
    end();
}

TEST(lists_in_a_circle)
{
    uint64_t area, last;

    begin(&(struct fake_form){.lists = true});
    map_usual(0);
    area = last = get(first);
    while ( get(last + FAKE_AT_AREA_NEXT) )
        last = get(last + FAKE_AT_AREA_NEXT);
    put(last + FAKE_AT_AREA_NEXT, area);
    CHECK(read_mapped(false) < 8192);
    put(last + FAKE_AT_AREA_NEXT, last);
    CHECK(read_mapped(false) < 8192);
    put(last + FAKE_AT_AREA_NEXT, 0);
    read_mapped(true);
    check_usual();
    end();
}

/* A node that is its own child, and two that are each other's. */
TEST(trees_in_a_circle)
{
    uint64_t node;

    begin_usual();
    map_usual(2);
    node = get(first) & ~255ull;
    for ( int i = 0; i < 2; i++ )
        put(node + FAKE_AT_GAPS_SLOTS + 8 * i, get(first) & ~2ull);
    CHECK(read_mapped(false) < (AREA_NODES_MAX + 16) * 256);
    for ( uint32_t i = 0; i < 10; i++ )
    {
        put(node + FAKE_AT_GAPS_SLOTS + 8 * i, get(first) & ~2ull);
        put(node + FAKE_AT_PIVOTS + 8 * i, 0x1000 * (i + 1));
    }
    *fake_bytes(&fake, node + FAKE_AT_GAPS_META) = 9;
    CHECK(read_mapped(false) < (AREA_NODES_MAX + 16) * 256);
    end();
}

/* An empty leaf ten times below each of ten nodes, and so on, 10,000 in all: as
 * many nodes are looked at as may be. */
TEST(trees_that_grow_together)
{
    uint64_t below, node, place = 0x10;

    begin_usual();
    map_usual(16);
    fake_align(&fake.areas, 256);
    below = fake_new(&fake, 256) | 1 << 3 | 4;
    for ( int i = 0; i < 4; i++ )
    {
        fake_align(&fake.areas, 256);
        node = fake_new(&fake, 256);
        for ( uint32_t j = 0; j < 10; j++ )
        {
            put(node + FAKE_AT_GAPS_SLOTS + 8 * j, below);
            if ( j < 9 )
                put(node + FAKE_AT_PIVOTS + 8 * j, place * (j + 1));
        }
        *fake_bytes(&fake, node + FAKE_AT_GAPS_META) = 9;
        place *= 16;
        below = node | 3 << 3 | 4;
    }
    put(first, below | 2);
    fake.memory.left = BUDGET;
    CHECK(read_mapped(true) < (AREA_NODES_MAX + 16) * 256);
    CHECK_EQ(space.count, 0);
    end();
}

TEST(nodes_of_other_sorts)
{
    begin_usual();
    for ( uint64_t sort = 0; sort < 16; sort++ )
    {
        put(first, (get(first) & ~(15ull << 3)) | sort << 3);
        /* As a leaf it has no areas: words of nodes are none. */
        read_mapped(sort == 3 || sort == 1);
        CHECK_EQ(space.count, sort == 3 ? 3 : 0);
    }
    end();
}

TEST(words_that_lead_nowhere)
{
    static const uint64_t words[] = {8,
                                     0x7fffffffffffull,
                                     0xffff888000100001ull,
                                     0xffff888000100006ull,
                                     UINT64_MAX,
                                     0xfffffffffffffff8ull};

    for ( unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++ )
    {
        begin_usual();
        put(task + FAKE_AT_MM, words[i]);
        read_mapped(false);
        end();
        begin_usual();
        put(first, words[i]);
        read_mapped(false);
        end();
        begin(&(struct fake_form){.lists = true});
        map_usual(0);
        put(get(first) + FAKE_AT_AREA_NEXT, words[i]);
        read_mapped(false);
        end();
        begin(&(struct fake_form){.lists = true});
        map_usual(0);
        put(get(get(first) + FAKE_AT_AREA_NEXT) + FAKE_AT_AREA_FILE, words[i]);
        read_mapped(true);
        check_piece(0, CODE + 0x1000, CODE + 0x4000, 0x1000, "");
        end();
    }
}

/* It was freed, and is of another process's memory by now. */
TEST(areas_of_another_memory)
{
    begin(&(struct fake_form){.lists = true});
    map_usual(0);
    put(get(first) + FAKE_AT_AREA_MM, fake_new(&fake, 1024));
    read_mapped(false);
    end();
}

/* All that may change changes now and then. */
TEST(memory_that_changes)
{
    for ( int lists = 0; lists < 2; lists++ )
    {
        begin(&(struct fake_form){.lists = lists});
        map_usual(4);
        for ( fake.noise = 1; fake.noise < 200; fake.noise++ )
        {
            const struct mapped_process wanted = {{77, 1200, 1234}, "sleep"};
            static uint8_t flat[MAPPED_FLAT_MAX];
            static struct mapped_space again;

            fake.memory.left = BUDGET;
            kernel_get_mapped(kernel, &fake.memory, &wanted, &space);
            CHECK(
                mapped_space_get(flat, mapped_space_put(&space, flat), &again));
        }
        end();
    }
}

TEST(without_budget)
{
    const struct mapped_process wanted = {{77, 1200, 1234}, "sleep"};

    begin_usual();
    for ( uint64_t budget = 0; budget < 8192; budget += 64 )
    {
        fake.memory.left = budget;
        if ( kernel_get_mapped(kernel, &fake.memory, &wanted, &space) )
            CHECK_EQ(space.count, 3);
    }
    end();
}

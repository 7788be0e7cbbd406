/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Bytes of a file that a kernel of the kit has in memory, in xarrays of all
 * sorts, which may lie; and what a kernel says of it in the end. */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "guest/kernel.h"
#include "guest/linux/tasks/page-cache.h"
#include "tests/harness.h"
#include "tests/unit/guest/linux/kernel-kit.h"

#define BUDGET (4u << 20)
#define PAGE   4096u
#define PAGES  200u
#define CODE   0x400000u

static struct fake_kernel fake;
static struct btf btf;
static struct kernel_layout layout;
static struct cache_facts facts;
static struct page_cache cache;
static struct guest_file file;
static uint8_t content[PAGES * PAGE], got[PAGES * PAGE];
static uint64_t mapping;

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

static void read_layout(void)
{
    struct btf_wanted types[KERNEL_TYPES];

    fake.memory.left = BUDGET;
    CHECK(btf_open(&btf, &fake.memory, fake_address(&fake, "__start_BTF"),
                   fake_address(&fake, "__stop_BTF")));
    kernel_layout_want(types, FOR_ALL & ~FOR_HOT);
    btf_find_structs(&btf, types, KERNEL_TYPES);
    kernel_layout_read(&btf, types, &layout);
    CHECK(kernel_layout_is_sound(&layout));
}

/* A struct file that leads to it, as an area of memory has one. */
static uint64_t file_of(uint64_t of)
{
    uint64_t at = fake_new(&fake, 200);

    put(at + FAKE_AT_FILE_MAPPING, of);
    return at;
}

/* A file of so many pages, and some bytes of the last one. */
static void begin(size_t pages)
{
    const struct fake_form form = {
        .functions = 300, .cpus = 1, .origins = true, .cached = true};

    for ( size_t i = 0; i < sizeof(content); i++ )
        content[i] = (uint8_t)(i / PAGE + i % 251);
    fake_kernel_open(&fake, &form);
    read_layout();
    CHECK_EQ(layout.page_bytes, FAKE_PAGE_BYTES);
    mapping = fake_cache(&fake, content, pages * PAGE);
    facts = (struct cache_facts){&layout,
                                 get(fake_address(&fake, "vmemmap_base")),
                                 get(fake_address(&fake, "page_offset_base"))};
    fake.memory.left = BUDGET;
    CHECK(cached_file_read(&facts, &fake.memory, file_of(mapping), &file));
    CHECK_EQ(file.mapping, mapping);
    CHECK(page_cache_open(&cache, &facts, &fake.memory, &file));
}

static void end(void)
{
    fake_kernel_close(&fake);
}

static bool read_at(uint64_t offset, size_t size)
{
    fake.memory.left = BUDGET;
    memset(got, 0xee, size);
    return page_cache_get(&cache, offset, got, size);
}

/* That page is missing, and its neighbours are not. */
static void check_missing(uint64_t index)
{
    CHECK(page_cache_open(&cache, &facts, &fake.memory, &file));
    CHECK(!read_at(index * PAGE, 16));
    CHECK(!read_at(index * PAGE + 100, 16));
    CHECK_EQ(cache.absent, 1);
    CHECK(!index || read_at(index * PAGE - 16, 16));
    CHECK(read_at((index + 1) * PAGE, 16));
}

TEST(files_of_all_sizes)
{
    const size_t sizes[] = {1, 2, 64, 65, PAGES};

    for ( unsigned int i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++ )
    {
        size_t size = sizes[i] * PAGE;

        begin(sizes[i]);
        CHECK(read_at(0, size));
        CHECK(!memcmp(got, content, size));
        CHECK(read_at(size - 5, 5));
        CHECK(!memcmp(got, content + size - 5, 5));
        CHECK(read_at(0, 0));
        CHECK_EQ(cache.absent, 0);
        CHECK(!read_at(size, 1));
        CHECK(!read_at(1ull << 40, 1));
        CHECK(!read_at(UINT64_MAX, 1));
        CHECK(!read_at(UINT64_MAX - 1, 16));
        end();
    }
}

/* A page that was read lately is not read again. */
TEST(what_is_read_again)
{
    begin(PAGES);
    CHECK(read_at(10 * PAGE, 100));
    CHECK(BUDGET - fake.memory.left > PAGE);
    CHECK(read_at(10 * PAGE + 50, 100));
    CHECK_EQ(BUDGET - fake.memory.left, 0);
    for ( int i = 0; i < 10; i++ )
        CHECK(read_at((20 + i) * PAGE, 8));
    CHECK(read_at(10 * PAGE, 8));
    CHECK(BUDGET - fake.memory.left > PAGE);
    end();
}

/* It was never read, it was dropped, which leaves a number there, or it is
 * somewhere else. */
TEST(pages_that_are_missing)
{
    static const uint64_t words[] = {0, 4711 * 2 + 1, 8, 0x7fffffffffffull};

    for ( unsigned int i = 0; i < sizeof(words) / sizeof(words[0]); i++ )
    {
        begin(PAGES);
        put(fake_cache_slot(&fake, mapping, 70), words[i]);
        check_missing(70);
        end();
    }
}

/* Pages in one piece: the first one stands for the others, whose slots say
 * so. */
TEST(large_pages)
{
    begin(PAGES);
    for ( uint64_t i = 69; i < 72; i++ )
    {
        put(fake_cache_slot(&fake, mapping, i), (68 % 64) << 2 | 2);
        put(fake_cache_page(&fake, i) + FAKE_AT_PAGE_MAPPING, 0xdead0000ull);
        put(fake_cache_page(&fake, i) + FAKE_AT_PAGE_INDEX, 0);
    }
    CHECK(read_at(67 * PAGE, 6 * PAGE));
    CHECK(!memcmp(got, content + 67 * PAGE, 6 * PAGE));
    /* A sibling of a sibling is none. */
    put(fake_cache_slot(&fake, mapping, 68), (67 % 64) << 2 | 2);
    CHECK(page_cache_open(&cache, &facts, &fake.memory, &file));
    CHECK(!read_at(69 * PAGE, 1));
    end();
}

/* 64 pages in one piece, in the upper node. */
TEST(a_page_of_a_whole_node)
{
    uint64_t top;

    begin(PAGES);
    top = get(mapping + FAKE_AT_PAGES + 8) - 2;
    put(top + FAKE_AT_SLOTS + 8, fake_cache_page(&fake, 64));
    CHECK(read_at(60 * PAGE, 80 * PAGE));
    CHECK(!memcmp(got, content + 60 * PAGE, 80 * PAGE));
    end();
}

/* Each word on the way, made something else: the page is not there. */
TEST(pages_that_are_not_the_file_s)
{
    uint64_t page;

    begin(PAGES);
    page = fake_cache_page(&fake, 70);
    put(page + FAKE_AT_PAGE_MAPPING, mapping + 8);
    check_missing(70);
    put(page + FAKE_AT_PAGE_MAPPING, mapping);
    put(page + FAKE_AT_PAGE_INDEX, 71);
    check_missing(70);
    put(page + FAKE_AT_PAGE_INDEX, 70);
    put(fake_cache_slot(&fake, mapping, 70), page + 8); /* between two */
    check_missing(70);
    put(fake_cache_slot(&fake, mapping, 70), facts.pages - 64);
    check_missing(70);
    put(fake_cache_slot(&fake, mapping, 70), 0xfffffffffffffff8ull);
    check_missing(70);
    put(fake_cache_slot(&fake, mapping, 70), page);
    CHECK(page_cache_open(&cache, &facts, &fake.memory, &file));
    CHECK(read_at(70 * PAGE, 16));
    end();
}

/* It is taken from the file while it is read. */
static size_t (*read_before)(void *, uint64_t, void *, size_t);
static uint64_t watched, changed, value;

static size_t read_and_change(void *self, uint64_t address, void *to,
                              size_t size)
{
    size_t there = read_before(self, address, to, size);

    if ( address == watched )
        put(changed, value);
    return there;
}

TEST(a_page_that_goes_meanwhile)
{
    begin(PAGES);
    watched = fake_cache_bytes(&fake, 70);
    changed = fake_cache_page(&fake, 70) + FAKE_AT_PAGE_MAPPING;
    value = 0;
    read_before = fake.memory.read;
    fake.memory.read = read_and_change;
    CHECK(read_at(69 * PAGE, 16));
    CHECK(!read_at(70 * PAGE, 16));
    end();
}

/* Its bytes were another file's until just now. */
TEST(a_page_that_comes_meanwhile)
{
    begin(PAGES);
    watched = fake_cache_bytes(&fake, 70);
    changed = fake_cache_page(&fake, 70) + FAKE_AT_PAGE_MAPPING;
    value = mapping;
    put(changed, mapping + 8);
    read_before = fake.memory.read;
    fake.memory.read = read_and_change;
    CHECK(!read_at(70 * PAGE, 16));
    CHECK_EQ(get(changed), mapping);
    end();
}

/* Nodes that lead to each other, and of all depths. */
TEST(nodes_in_a_circle)
{
    uint64_t head, node;

    begin(PAGES);
    head = get(mapping + FAKE_AT_PAGES + 8);
    node = head - 2;
    for ( uint64_t i = 0; i < 64; i++ )
        put(node + FAKE_AT_SLOTS + 8 * i, head);
    for ( unsigned int shift = 0; shift < 256; shift++ )
    {
        *fake_bytes(&fake, node + FAKE_AT_SHIFT) = (uint8_t)shift;
        CHECK(page_cache_open(&cache, &facts, &fake.memory, &file));
        CHECK(!read_at(70 * PAGE, 16));
        CHECK(BUDGET - fake.memory.left < 1024);
    }
    end();
}

/* The file is another one by now, or was written. */
TEST(files_that_are_replaced)
{
    static const uint32_t members[] = {FAKE_AT_INODE_NUMBER, FAKE_AT_INODE_SIZE,
                                       FAKE_AT_INODE_CHANGED,
                                       FAKE_AT_INODE_GENERATION};
    struct guest_file again;
    uint64_t inode;

    begin(3);
    inode = get(mapping + FAKE_AT_HOST);
    for ( unsigned int i = 0; i < 4; i++ )
    {
        put(inode + members[i], get(inode + members[i]) + 1);
        CHECK(!page_cache_open(&cache, &facts, &fake.memory, &file));
        CHECK(cached_file_read(&facts, &fake.memory, file_of(mapping), &again));
        CHECK(again.id != file.id);
        put(inode + members[i], get(inode + members[i]) - 1);
        CHECK(page_cache_open(&cache, &facts, &fake.memory, &file));
    }
    put(mapping + FAKE_AT_HOST, 0);
    CHECK(!page_cache_open(&cache, &facts, &fake.memory, &file));
    CHECK(!cached_file_read(&facts, &fake.memory, file_of(mapping), &again));
    CHECK(!cached_file_read(&facts, &fake.memory, file_of(0), &again));
    CHECK(!cached_file_read(&facts, &fake.memory, 0, &again));
    file.mapping = 0x7f0000000000ull;
    CHECK(!page_cache_open(&cache, &facts, &fake.memory, &file));
    end();
}

/* What is over the budget is missing. */
TEST(without_budget)
{
    begin(PAGES);
    for ( uint64_t left = 0; left < 6000; left += 100 )
    {
        fake.memory.left = BUDGET;
        CHECK(page_cache_open(&cache, &facts, &fake.memory, &file));
        fake.memory.left = left;
        if ( page_cache_get(&cache, 70 * PAGE, got, 16) )
            CHECK(left > PAGE);
    }
    end();
}

/* From a kernel's search to the name of a process's code, by the file that this
 * program is of. ---------------------------------------------------------- */

static struct kernel_images *images;
static struct kernel *kernel;
static struct mapped_space space;

static const struct fake_thread init = {.start = 1, .pid = 1, .tid = 1};

static void find(bool cached)
{
    const struct fake_form form = {
        .functions = 4000, .cpus = 1, .origins = true, .cached = cached};

    fake_kernel_open(&fake, &form);
    images = kernel_images_open();
    CHECK_EQ(
        kernel_find(images, &fake.memory, fake_function(&fake, 5) + 1, &kernel),
        KERNEL_OK);
}

/* Process 1 runs a program. */
static void map_program(void)
{
    struct fake_thread thread = init;
    struct fake_mapping area = {CODE, CODE + 0x8000, 1, 4, 0, 0};
    uint64_t root = fake_dentry(&fake, "/", 0);

    thread.root = root;
    thread.mount = area.mount = fake_mount(&fake, root, 0, 0);
    thread.program = area.dentry = fake_dentry(&fake, "prog", root);
    fake_map(&fake, fake_thread(&fake, &thread), &area, 1, 16);
}

static void read_mapped(void)
{
    const struct mapped_process process = {{1, 1, 1}, ""};

    fake.memory.left = BUDGET;
    CHECK(kernel_get_mapped(kernel, &fake.memory, &process, &space));
    CHECK_EQ(space.count, 1);
    CHECK_TEXT(mapped_path(&space, &space.code[0]), "/prog");
}

static void close_kernel(void)
{
    kernel_close(kernel);
    kernel_images_close(images);
    end();
}

static void check_leaf(const struct guest_file *of)
{
    const uint64_t offsets[] = {0x1010, 0x1000};
    struct leaf_name names[2];

    fake.memory.left = BUDGET;
    CHECK(kernel_get_leaves(kernel, &fake.memory, of, offsets, 2, names));
    /* It is no ELF file. */
    CHECK_EQ(names[0].found, LEAF_NOTHING);
    CHECK_EQ(names[0].address, 0x1010);
    CHECK_EQ(names[1].address, 0x1000);
    CHECK_EQ(names[1].absent, 0);
}

TEST(kernels_and_their_files)
{
    const uint64_t offset = 0;
    struct buffer image = {0};
    struct kernel_tables tables = {0};
    struct task_list list;
    struct leaf_name name;
    struct guest_file other;

    find(true);
    fake_cache(&fake, content, 5 * PAGE);
    map_program();
    read_mapped();
    CHECK_EQ(space.code[0].file, 1);
    check_leaf(&space.file[0]);
    other = space.file[0];
    other.id++;
    CHECK(!kernel_get_leaves(kernel, &fake.memory, &other, &offset, 1, &name));
    /* Through the tables that a search leaves. */
    CHECK(kernel_put_image(kernel, &image, &tables.base));
    tables.image = image.bytes;
    tables.image_size = image.used;
    kernel_close(kernel);
    CHECK_EQ(kernel_from_tables(&tables, &kernel), KERNEL_OK);
    read_mapped();
    check_leaf(&space.file[0]);
    kernel_get_tasks(kernel, &fake.memory, false, &list);
    CHECK_EQ(list.cached, 1);
    close_kernel();
    buffer_free(&image);
}

TEST(a_kernel_whose_types_lack_them)
{
    static const struct guest_file none = {0xffff888000001000ull, 1};
    const uint64_t offset = 0x77;
    struct task_list list;
    struct leaf_name name;

    find(false);
    map_program();
    read_mapped();
    CHECK_EQ(space.code[0].file, 0);
    kernel_get_tasks(kernel, &fake.memory, false, &list);
    CHECK_EQ(list.mapped, 1);
    CHECK_EQ(list.cached, 0);
    CHECK(!kernel_get_leaves(kernel, &fake.memory, &none, &offset, 1, &name));
    CHECK_EQ(name.address, 0x77);
    CHECK_EQ(name.found, LEAF_NOTHING);
    close_kernel();
}

/* An area that is of no file, or of one without pages. */
TEST(a_file_without_pages)
{
    find(true);
    map_program();
    read_mapped();
    CHECK_EQ(space.code[0].file, 0);
    close_kernel();
}

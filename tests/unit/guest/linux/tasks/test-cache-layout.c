/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What type information says of a file's pages, of the kit's kernels and of the
 * one that runs here. */
#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/linux/tasks/cache-layout.h"
#include "guest/linux/tasks/task-layout.h"
#include "tests/harness.h"
#include "tests/unit/guest/btf/btf-kit.h"
#include "tests/unit/guest/linux/kernel-kit.h"

static struct cache_layout layout;

static bool read_types(struct guest_memory *memory, uint64_t start,
                       uint64_t end)
{
    struct btf_wanted wanted[TASK_STRUCTS];
    static struct btf btf;

    if ( !btf_open(&btf, memory, start, end) )
        return false;
    task_layout_want(wanted, false);
    btf_find_structs(&btf, wanted, TASK_STRUCTS);
    cache_layout_read(&btf, &wanted[TASK_STRUCT], &layout);
    CHECK(cache_layout_is_sound(&layout));
    return layout.page_bytes;
}

static bool read_kit(bool cached)
{
    const struct fake_form form = {
        .functions = 300, .cpus = 1, .origins = true, .cached = cached};
    struct fake_kernel fake;
    bool known;

    fake_kernel_open(&fake, &form);
    known = read_types(&fake.memory, fake_address(&fake, "__start_BTF"),
                       fake_address(&fake, "__stop_BTF"));
    fake_kernel_close(&fake);
    return known;
}

TEST(types_that_say_it_all)
{
    CHECK(read_kit(true));
    CHECK_EQ(layout.page_bytes, FAKE_PAGE_BYTES);
    CHECK_EQ(layout.at[CACHE_FILE_MAPPING], FAKE_AT_FILE_MAPPING);
    CHECK_EQ(layout.at[CACHE_INODE_CHANGED], FAKE_AT_INODE_CHANGED);
    CHECK_EQ(layout.at[CACHE_PAGE_INDEX], FAKE_AT_PAGE_INDEX);
}

TEST(types_that_lack_something)
{
    CHECK(!read_kit(false));
    CHECK_EQ(layout.at[CACHE_PAGES], 0);
}

TEST(types_of_a_kernel)
{
    const char *path = "/sys/kernel/btf/vmlinux";
    struct btf_kit kit = {0};
    struct stat status;
    uint8_t *bytes;
    size_t got = 0;
    ssize_t some;
    int file = open(path, O_RDONLY);

    if ( file < 0 )
        test_skip("this machine's kernel has no type information");
    CHECK_EQ(fstat(file, &status), 0);
    bytes = malloc((size_t)status.st_size);
    CHECK(bytes);
    while ( (some = read(file, bytes + got, (size_t)status.st_size - got)) > 0 )
        got += (size_t)some;
    close(file);
    btf_kit_take(&kit, bytes, got, 1 << 30);
    free(bytes);
    CHECK(read_types(&kit.memory, BTF_KIT_ADDRESS, BTF_KIT_ADDRESS + kit.size));
    CHECK_EQ(layout.page_bytes, 64);
    btf_kit_free(&kit);
}

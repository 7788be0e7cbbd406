/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What type information says of areas, and layouts that another process
 * made. */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "guest/linux/tasks/mapping-layout.h"
#include "guest/linux/tasks/task-layout.h"
#include "tests/harness.h"
#include "tests/unit/guest/btf/btf-kit.h"
#include "tests/unit/guest/linux/kernel-kit.h"

static struct mapping_layout layout;

static bool read_types(struct guest_memory *memory, uint64_t start,
                       uint64_t end, bool tree)
{
    struct btf_wanted wanted[TASK_STRUCTS + MAPPING_STRUCTS];
    static struct btf btf;

    if ( !btf_open(&btf, memory, start, end) )
        return false;
    task_layout_want(wanted, false);
    mapping_layout_want(&wanted[TASK_STRUCTS], tree);
    btf_find_structs(&btf, wanted, TASK_STRUCTS + MAPPING_STRUCTS);
    mapping_layout_read(&btf, &wanted[TASK_STRUCT], &wanted[TASK_STRUCTS],
                        &layout);
    CHECK(mapping_layout_is_sound(&layout));
    return layout.sort;
}

static bool read_kit(const struct fake_form *form)
{
    struct fake_kernel fake;
    bool known;

    fake_kernel_open(&fake, form);
    known = read_types(&fake.memory, fake_address(&fake, "__start_BTF"),
                       fake_address(&fake, "__stop_BTF"), !form->lists);
    fake_kernel_close(&fake);
    return known;
}

TEST(types_that_say_it_all)
{
    CHECK(read_kit(
        &(struct fake_form){.functions = 300, .cpus = 1, .origins = true}));
    CHECK_EQ(layout.sort, MAPPING_BY_TREE);
    CHECK_EQ(layout.at[MAPPING_AREA_END], FAKE_AT_AREA_END);
    CHECK_EQ(layout.at[MAPPING_RANGE_SLOTS], FAKE_AT_RANGE_SLOTS);
    CHECK_EQ(layout.at[MAPPING_GAPS_META], FAKE_AT_GAPS_META);
    CHECK_EQ(mapping_area_bytes(&layout), FAKE_AT_AREA_FILE + 8);
    CHECK(read_kit(&(struct fake_form){
        .functions = 300, .cpus = 1, .origins = true, .lists = true}));
    CHECK_EQ(layout.sort, MAPPING_BY_LIST);
    CHECK_EQ(mapping_area_bytes(&layout), FAKE_AT_AREA_NEXT + 8);
}

TEST(types_that_lack_something)
{
    CHECK(!read_kit(&(struct fake_form){.functions = 300, .cpus = 1}));
    CHECK_EQ(layout.at[MAPPING_AREA_END], 0);
}

TEST(layouts_that_another_process_made_up)
{
    const struct mapping_layout good = {
        .sort = MAPPING_BY_TREE,
        .at = {[MAPPING_RANGE_PIVOTS] = 8,
               [MAPPING_RANGE_SLOTS] = 128,
               [MAPPING_RANGE_META] = 248,
               [MAPPING_GAPS_PIVOTS] = 8,
               [MAPPING_GAPS_SLOTS] = 80,
               [MAPPING_GAPS_META] = 240},
    };

    CHECK(mapping_layout_is_sound(&good));
    for ( unsigned int i = 0; i < MAPPING_MEMBERS; i++ )
    {
        struct mapping_layout lie = good;

        lie.at[i] = UINT32_MAX - 8;
        CHECK(!mapping_layout_is_sound(&lie));
        lie.at[i] = AREA_BYTES_MAX;
        CHECK_EQ(mapping_layout_is_sound(&lie),
                 i < MAPPING_AREA_START || i == MAPPING_MM_LIST ||
                     i == MAPPING_AREA_NEXT || i == MAPPING_MM_TREE ||
                     i == MAPPING_TREE_ROOT);
    }
    layout = good;
    layout.sort = MAPPING_BY_TREE + 1;
    CHECK(!mapping_layout_is_sound(&layout));
}

/* The kernel that runs here, which is 6.1 or later. */
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
    if ( !read_types(&kit.memory, BTF_KIT_ADDRESS, BTF_KIT_ADDRESS + kit.size,
                     true) )
        CHECK(read_types(&kit.memory, BTF_KIT_ADDRESS,
                         BTF_KIT_ADDRESS + kit.size, false));
    btf_kit_free(&kit);
}

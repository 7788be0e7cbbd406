/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What type information says of tasks, and what it leaves out. */
#include "guest/linux/tasks/task-layout.h"
#include "tests/harness.h"
#include "tests/unit/guest/btf/btf-kit.h"

/* What is different from types that say it all. */
struct lie {
    uint32_t tgid, comm_bytes, start_bytes;
    uint32_t size;
};

static struct btf_kit kit;
static struct task_layout layout;

static void add_task(const struct lie *lie)
{
    uint32_t number = btf_kit_int(&kit, "int", 4);
    uint32_t word = btf_kit_int(&kit, "u64", lie->start_bytes);
    uint32_t letter = btf_kit_int(&kit, "char", 1);
    uint32_t comm = btf_kit_array(&kit, letter, lie->comm_bytes);
    uint32_t pointer = btf_kit_pointer(&kit, 0);

    btf_kit_type(&kit, "task_struct", BTF_STRUCT, 60, lie->size);
    for ( int i = 0; i < 53; i++ )
        btf_kit_member(&kit, "filler", number, 4 * i);
    btf_kit_member(&kit, "pid", number, 1000);
    btf_kit_member(&kit, "tgid", number, lie->tgid);
    btf_kit_member(&kit, "start_time", word, 1016);
    btf_kit_member(&kit, "comm", comm, 1040);
    btf_kit_member(&kit, "mm", pointer, 1064);
    btf_kit_member(&kit, "stack", pointer, 1072);
    btf_kit_member(&kit, "cgroups", pointer, 1080);
}

static void add_hot(void)
{
    uint32_t pointer = btf_kit_pointer(&kit, 0);
    uint32_t inner = btf_kit_type(&kit, NULL, BTF_STRUCT, 1, 32);

    btf_kit_member(&kit, "current_task", pointer, 24);
    btf_kit_type(&kit, "pcpu_hot", BTF_STRUCT, 1, 64);
    btf_kit_member(&kit, NULL, inner, 0);
}

static void read_layout(const struct lie *lie, bool hot)
{
    struct btf_wanted wanted[TASK_STRUCTS];
    static struct btf btf;

    add_task(lie);
    add_hot();
    btf_kit_end(&kit, 1 << 20);
    CHECK(btf_open(&btf, &kit.memory, BTF_KIT_ADDRESS,
                   BTF_KIT_ADDRESS + kit.size));
    task_layout_want(wanted, hot);
    btf_find_structs(&btf, wanted, TASK_STRUCTS);
    task_layout_read(&btf, wanted, &layout);
    btf_kit_free(&kit);
}

TEST(types_that_say_it_all)
{
    for ( int hot = 0; hot < 2; hot++ )
    {
        read_layout(&(struct lie){1004, 16, 8, 4096}, hot);
        CHECK(layout.known);
        CHECK_EQ(layout.pid, 1000);
        CHECK_EQ(layout.start_time, 1016);
        CHECK_EQ(layout.comm, 1040);
        CHECK_EQ(layout.mm, 1064);
        CHECK_EQ(layout.stack, 1072);
        CHECK_EQ(layout.cgroups, 1080);
        CHECK_EQ(layout.current, hot ? 24 : TASK_UNKNOWN);
        CHECK_EQ(layout.features, TASK_UNKNOWN);
    }
}

/* The list's words would spell something else. */
TEST(types_of_another_shape)
{
    static const struct lie lies[] = {{1008, 16, 8, 4096},
                                      {1004, 32, 8, 4096},
                                      {1004, 16, 4, 4096},
                                      {1004, 16, 8, 1050},
                                      {1004, 16, 8, 1u << 20}};

    for ( unsigned int i = 0; i < sizeof(lies) / sizeof(lies[0]); i++ )
    {
        read_layout(&lies[i], false);
        if ( layout.known )
            test_fail(__FILE__, __LINE__, "lie %u is believed", i);
    }
}

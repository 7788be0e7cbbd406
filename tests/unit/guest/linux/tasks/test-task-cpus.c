/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of a kernel that the kit made, which may lie. */
#include <string.h>

#include "base/buffer.h"
#include "guest/kernel.h"
#include "tests/harness.h"
#include "tests/unit/guest/linux/kernel-kit.h"

#define CPUS 4u

static struct fake_kernel fake;
static struct kernel_images *images;
static struct kernel *kernel;
static struct task_list list;

static void begin(const struct fake_form *form)
{
    struct fake_form with = *form;

    with.functions = form->functions ? form->functions : 4000;
    with.cpus = form->cpus ? form->cpus : CPUS;
    fake_kernel_open(&fake, &with);
    images = kernel_images_open();
    CHECK(images);
    CHECK_EQ(
        kernel_find(images, &fake.memory, fake_function(&fake, 5) + 1, &kernel),
        KERNEL_OK);
}

static void end(void)
{
    kernel_close(kernel);
    kernel_images_close(images);
    fake_kernel_close(&fake);
}

static enum task_list_status get_tasks(void)
{
    fake.memory.left = 65536;
    kernel_get_tasks(kernel, &fake.memory, false, &list);
    CHECK(task_list_is_sound(&list));
    return list.status;
}

static uint64_t word_of(uint32_t cpu)
{
    return fake_area(&fake, cpu) + FAKE_AT_CURRENT +
           (fake.form.hot ? FAKE_AT_HOT : 0);
}

static void check_all(void)
{
    CHECK_EQ(get_tasks(), TASK_LIST_KNOWN);
    CHECK_EQ(list.vcpus, CPUS);
    CHECK_EQ(list.fetch.vcpus, CPUS);
    CHECK_EQ(list.fetch.isolated, fake.form.isolated);
    for ( uint32_t cpu = 0; cpu < CPUS; cpu++ )
        CHECK_EQ(list.fetch.base[cpu], word_of(cpu));
    CHECK_EQ(list.fetch.step[1].offset, FAKE_AT_PID);
    CHECK_EQ(list.fetch.step[2].offset, FAKE_AT_START);
    CHECK_EQ(list.fetch.step[3].offset, FAKE_AT_COMM);
}

TEST(lists_of_kernels)
{
    static const struct fake_form forms[] = {
        {.isolated = true}, /* 6.1 */
        {.hot = true, .new_order = true, .by_name_width = 3},
        {.new_order = true, .encoding = OFFSET_FROM_BASE, .by_name_width = 3},
        {.new_order = true, .encoding = OFFSET_FROM_SELF, .alignment = 4},
        {.no_loads = true},
    };

    for ( unsigned int i = 0; i < sizeof(forms) / sizeof(forms[0]); i++ )
    {
        struct fake_form form = forms[i];

        form.functions = 20000; /* as many as those with a newer table need */
        begin(&form);
        check_all();
        end();
    }
}

/* Through the tables that a search leaves, as when processors came later. */
TEST(lists_of_known_kernels)
{
    struct buffer image = {0};
    struct kernel_tables tables = {0};
    struct kernel *known;

    begin(&(struct fake_form){.isolated = true});
    CHECK(kernel_put_image(kernel, &image, &tables.base));
    tables.image = image.bytes;
    tables.image_size = image.used;
    kernel_close(kernel);
    CHECK_EQ(kernel_from_tables(&tables, &known), KERNEL_OK);
    kernel = known;
    check_all();
    end();
    buffer_free(&image);
}

/* Only the image is read; a processor is the vCPU of its number. */
TEST(the_image_alone)
{
    begin(&(struct fake_form){.cpus = 2});
    fake.areas.size = 0;
    fake.memory.left = 65536;
    kernel_get_tasks(kernel, &fake.memory, true, &list);
    CHECK_EQ(list.status, TASK_LIST_KNOWN);
    CHECK_EQ(list.vcpus, 2);
    CHECK_EQ(list.fetch.base[1], word_of(1));
    CHECK_EQ(get_tasks(), TASK_LIST_NO_TASK);
    end();
}

static void put(uint64_t address, uint64_t value, size_t size)
{
    memcpy(fake_bytes(&fake, address), &value, size);
}

TEST(vcpus_of_other_numbers)
{
    begin(&(struct fake_form){.cpus = CPUS});
    put(fake_area(&fake, 1) + FAKE_AT_VCPU_ID, 6, 4);
    /* Not up yet: its number is not noted, and 0 is somebody else's. */
    put(fake_area(&fake, 2) + FAKE_AT_VCPU_ID, 0, 4);
    put(fake_area(&fake, 3) + FAKE_AT_VCPU_ID, UINT32_MAX, 4);
    CHECK_EQ(get_tasks(), TASK_LIST_KNOWN);
    CHECK_EQ(list.vcpus, 2);
    CHECK_EQ(list.fetch.vcpus, 7);
    CHECK_EQ(list.fetch.base[0], word_of(0));
    CHECK_EQ(list.fetch.base[6], word_of(1));
    CHECK_EQ(list.fetch.base[2], 0);
    end();
}

/* Before its processors have areas, all offsets lead to the first contents. */
TEST(a_kernel_that_has_just_started)
{
    uint64_t table;

    begin(&(struct fake_form){.cpus = CPUS});
    table = fake_address(&fake, "__per_cpu_offset");
    for ( uint32_t cpu = 0; cpu < CPUS; cpu++ )
        put(table + 8 * cpu, fake.kernel.address + 0x1000, 8);
    CHECK_EQ(get_tasks(), TASK_LIST_EARLY);
    CHECK_EQ(list.fetch.steps, 0);
    put(table, fake_area(&fake, 0), 8);
    CHECK_EQ(get_tasks(), TASK_LIST_KNOWN);
    CHECK_EQ(list.vcpus, 1);
    end();
}

/* Of the first processor: no list.  Of another: it has no base. */
TEST(what_is_no_task)
{
    static const struct {
        uint64_t at, value;
        size_t size;
    } lies[] = {
        {FAKE_AT_CURRENT, 0, 8},
        {FAKE_AT_CURRENT, 0x7fffffff0000, 8},
        {FAKE_AT_CURRENT, 0xffff888000000004, 8},
        {FAKE_AT_CURRENT, 0xffff888fffffff00, 8},
        {FAKE_AT_CURRENT, UINT64_MAX - 7, 8},
        {FAKE_AT_TASK + FAKE_AT_PID, 4194304, 4},
        {FAKE_AT_TASK + FAKE_AT_PID + 4, 4194304, 4},
        {FAKE_AT_TASK + FAKE_AT_PID, 5, 8},
        {FAKE_AT_TASK + FAKE_AT_COMM, 0, 1},
        {FAKE_AT_TASK + FAKE_AT_COMM, 7, 1},
    };

    for ( unsigned int i = 0; i < 2 * sizeof(lies) / sizeof(lies[0]); i++ )
    {
        uint32_t cpu = i % 2;

        begin(&(struct fake_form){.cpus = CPUS});
        put(fake_area(&fake, cpu) + lies[i / 2].at, lies[i / 2].value,
            lies[i / 2].size);
        if ( get_tasks() != (cpu ? TASK_LIST_KNOWN : TASK_LIST_NO_TASK) ||
             list.fetch.base[cpu] )
            test_fail(__FILE__, __LINE__, "lie %u of processor %u is believed",
                      i / 2, cpu);
        end();
    }
}

TEST(areas_that_are_nowhere)
{
    static const uint64_t offsets[] = {
        0, 8, 4, 0x7fff00000000, 1 << 9, UINT64_MAX, 1, 0x8000000000000000};

    for ( unsigned int i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++ )
    {
        begin(&(struct fake_form){.cpus = CPUS});
        put(fake_address(&fake, "__per_cpu_offset"), offsets[i], 8);
        CHECK_EQ(get_tasks(), TASK_LIST_EARLY);
        end();
    }
}

TEST(kernels_without_types)
{
    begin(&(struct fake_form){.no_btf = true});
    CHECK_EQ(get_tasks(), TASK_LIST_NO_TYPES);
    end();
}

/* Bytes change between two reads, or are not there. */
TEST(memory_that_changes)
{
    begin(&(struct fake_form){.cpus = CPUS});
    fake.noise = 3;
    for ( int i = 0; i < 2000; i++ )
        get_tasks();
    fake.noise = 0;
    fake.memory.left = 100;
    kernel_get_tasks(kernel, &fake.memory, false, &list);
    CHECK_EQ(list.status, TASK_LIST_EARLY);
    end();
}

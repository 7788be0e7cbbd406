/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modules from a kernel's list.
 */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "guest/kernel.h"
#include "guest/linux/kmod-list.h"
#include "tests/harness.h"
#include "tests/unit/guest/kernel-ask.h"
#include "kernel-kit.h"

/* Far more than is needed, also with sanitizers. */
#define ENOUGH (3 * CLOCKS_PER_SEC)

static struct kernel_images *images;
static struct fake_kernel fake;
static struct kernel *kernel;

static void begin(const struct fake_form *form)
{
    images = kernel_images_open();
    fake_kernel_open(&fake, form);
    CHECK_EQ(
        kernel_find(images, &fake.memory, fake_function(&fake, 1), &kernel),
        KERNEL_OK);
}

static void end(void)
{
    kernel_close(kernel);
    kernel_images_close(images);
    fake_kernel_close(&fake);
}

static uint32_t count_modules(void)
{
    struct kernel_info facts;

    kernel_get_info(kernel, &facts);
    return facts.modules;
}

static enum kernel_status look_again(void)
{
    fake.memory.left = 1 << 20;
    return kernel_look_at_modules(kernel, &fake.memory);
}

static void put_link(uint32_t index, uint64_t to)
{
    memcpy(fake_bytes(&fake, fake_module_link(index)), &to, sizeof(to));
}

/* Every function of a module has its name, module and rows. */
static void check_module(uint32_t index)
{
    uint64_t code = fake_module(index) + FAKE_MODULE_TEXT;
    struct kernel_symbol symbol;
    struct unwind_row row;
    char name[64];
    uint32_t i;

    for ( i = 1; i <= FAKE_MODULE_SYMBOLS; i++ )
    {
        CHECK(kernel_name(kernel, code + 64 * i + 5, &symbol));
        snprintf(name, sizeof(name), "module%u_function%u", index, i);
        CHECK_TEXT(symbol.name, name);
        snprintf(name, sizeof(name), "module%u", index);
        CHECK_TEXT(symbol.module, name);
        CHECK(symbol.start == code + 64 * i);
        CHECK(symbol.end ==
              code + (i < FAKE_MODULE_SYMBOLS ? 64 * i + 64 : 0x1000));
        CHECK(kernel_is_code(kernel, code + 64 * i));
        CHECK(kernel_row(kernel, code + 64 * i - 1, &row));
        CHECK_EQ(row.cfa_offset, 16);
    }
    CHECK(!kernel_name(kernel, code, &symbol));
    CHECK(kernel_is_code(kernel, code));
    CHECK(!kernel_is_code(kernel, code - 1));
    CHECK(!kernel_is_code(kernel, code + 0x1000));
}

TEST(both_shapes_of_struct_module)
{
    int shape;
    uint32_t i;

    for ( shape = 0; shape < 2; shape++ )
    {
        begin(&(struct fake_form){.modules = 70,
                                  .memories = shape,
                                  .new_order = shape,
                                  .fillers = shape ? 3000 : 100});
        CHECK_EQ(count_modules(), 70);
        for ( i = 0; i < 70; i++ )
            check_module(i);
        end();
    }
}

/* Its build-id must be read where it was: what cannot be read, or has none, is
 * not there, whatever else is. */
TEST(what_is_here_says_its_build_id)
{
    begin(&(struct fake_form){.modules = 1});
    CHECK(kernel_is_here(kernel, &fake.memory));
    *fake_bytes(&fake, fake.build_id) ^= 1;
    CHECK(!kernel_is_here(kernel, &fake.memory));
    *fake_bytes(&fake, fake.build_id) ^= 1;
    fake.memory.left = 0;
    CHECK(!kernel_is_here(kernel, &fake.memory));
    end();
    begin(&(struct fake_form){.modules = 1, .no_build_id = true});
    CHECK(!kernel_is_here(kernel, &fake.memory));
    end();
}

/* As after kexec: names and rows would be the old kernel's. */
TEST(another_kernel_lies_there)
{
    int banner;

    for ( banner = 0; banner < 2; banner++ )
    {
        begin(&(struct fake_form){.modules = 3, .no_build_id = banner});
        CHECK_EQ(look_again(), KERNEL_OK);
        if ( banner )
            fake_bytes(&fake, fake_address(&fake, "linux_banner"))[14] = '5';
        else
            *fake_bytes(&fake, fake.build_id) ^= 1;
        CHECK_EQ(look_again(), KERNEL_MISMATCH);
        CHECK_EQ(count_modules(), 3);
        end();
    }
}

TEST(no_type_information)
{
    begin(&(struct fake_form){.modules = 3, .no_btf = true});
    CHECK_EQ(count_modules(), 0);
    CHECK_EQ(look_again(), KERNEL_UNKNOWN);
    end();
}

TEST(modules_come_and_go)
{
    begin(&(struct fake_form){.modules = 9});
    fake_link_modules(&fake, 0, 4);
    CHECK_EQ(look_again(), KERNEL_OK);
    CHECK_EQ(count_modules(), 4);
    check_module(3);
    CHECK(!kernel_is_code(kernel, fake_module(4) + FAKE_MODULE_TEXT));
    fake_link_modules(&fake, 2, 9);
    CHECK_EQ(look_again(), KERNEL_OK);
    CHECK_EQ(count_modules(), 7);
    check_module(2);
    check_module(8);
    CHECK(!kernel_is_code(kernel, fake_module(1) + FAKE_MODULE_TEXT));
    fake_link_modules(&fake, 0, 0);
    CHECK_EQ(look_again(), KERNEL_OK);
    CHECK_EQ(count_modules(), 0);
    end();
}

/* At the same place, with another name: a new one. */
TEST(another_module_takes_the_place)
{
    struct kernel_symbol symbol;

    begin(&(struct fake_form){.modules = 3});
    strcpy((char *)fake_bytes(&fake, fake_module(1) + FAKE_AT_NAME), "other");
    CHECK_EQ(look_again(), KERNEL_OK);
    CHECK_EQ(count_modules(), 3);
    CHECK(kernel_name(kernel, fake_module(1) + FAKE_MODULE_TEXT + 70, &symbol));
    CHECK_TEXT(symbol.module, "other");
    end();
}

TEST(lists_that_lie)
{
    begin(&(struct fake_form){.modules = 5});
    put_link(4, fake_module_link(2)); /* round and round */
    CHECK_EQ(look_again(), KERNEL_BUDGET);
    CHECK_EQ(count_modules(), 5);
    fake.memory.left = 64 << 20;
    CHECK_EQ(kernel_look_at_modules(kernel, &fake.memory), KERNEL_DAMAGED);
    CHECK_EQ(count_modules(), 5);
    put_link(4, 0); /* nowhere */
    CHECK_EQ(look_again(), KERNEL_DAMAGED);
    CHECK_EQ(count_modules(), 5);
    put_link(4, fake.kernel.address); /* not a module */
    CHECK_EQ(look_again(), KERNEL_DAMAGED);
    put_link(4, fake_module_link(4) + 1);
    CHECK_EQ(look_again(), KERNEL_DAMAGED);
    check_module(0);
    end();
}

/* When a budget is used up, the next search reads the rest. */
TEST(read_on_with_the_next_budget)
{
    enum kernel_status status;
    uint32_t i, budget = 600000;

    images = kernel_images_open();
    fake_kernel_open(&fake, &(struct fake_form){.modules = 40});
    do
    {
        fake.memory.left = budget;
        status = kernel_find(images, &fake.memory, fake_function(&fake, 1),
                             &kernel);
        budget += 20000;
    } while ( status );
    CHECK_EQ(look_again(), KERNEL_OK);
    for ( i = 0; i < 40; i++ )
        check_module(i);
    end();
}

/* Each word of a module's structure is set to its largest value. */
TEST(a_module_that_lies)
{
    static const uint64_t lies[] = {0, 1, 0xffffffff, ~0ull,
                                    0xffffffffc0100000ull};
    struct kernel_symbol symbol;
    uint8_t right[FAKE_MODULE_SIZE], *module;
    uint32_t at;
    size_t i;

    begin(&(struct fake_form){.modules = 3});
    module = fake_bytes(&fake, fake_module(1));
    memcpy(right, module, sizeof(right));
    for ( at = 0; at + 8 <= FAKE_MODULE_SIZE; at += 8 )
        for ( i = 0; i < sizeof(lies) / sizeof(lies[0]); i++ )
        {
            memcpy(module + at, &lies[i], 8);
            look_again();
            kernel_name(kernel, fake_module(1) + FAKE_MODULE_TEXT + 70,
                        &symbol);
            memcpy(module, right, sizeof(right));
        }
    CHECK_EQ(look_again(), KERNEL_OK);
    CHECK_EQ(count_modules(), 3);
    check_module(0);
    check_module(2);
    end();
}

/* A guest's modules are searched for every address of every stack. */
TEST(an_address_among_many_modules)
{
    static struct kmod list[KMODS_MAX];
    struct kmods modules = {.list = list, .count = KMODS_MAX};
    clock_t begun;

    for ( uint32_t i = 0; i < KMODS_MAX; i++ )
    {
        list[i].code[0].start = FAKE_MODULES + 8192ull * (i * 5 % KMODS_MAX);
        list[i].code[0].end = list[i].code[0].start + 4096;
        list[i].next = i + 1 < KMODS_MAX ? &list[i + 1] : NULL;
    }
    CHECK(kmods_sort(&modules));
    begun = clock();
    for ( uint32_t i = 0; i < 4000000; i++ )
    {
        uint64_t address = FAKE_MODULES + 4096ull * (i % (2 * KMODS_MAX));
        const struct kmod *module = kmods_at(&modules, address);

        if ( i % 2 ? module != NULL
                   : !module || module->code[0].start != address )
            test_fail(__FILE__, __LINE__, "address %u is in another module", i);
    }
    CHECK(clock() - begun < ENOUGH);
    kmods_forget_ranges(&modules);
}

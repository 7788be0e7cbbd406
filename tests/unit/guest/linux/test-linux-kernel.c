/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels found in memory, in every layout that their tables have had.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/harness.h"
#include "tests/unit/guest/kernel-ask.h"
#include "tests/unit/guest/linux/kernel-kit.h"

static struct kernel_images *images;
static struct fake_kernel fake;
static struct kernel *kernel;

static void make(const struct fake_form *form)
{
    images = kernel_images_open();
    CHECK(images);
    fake_kernel_open(&fake, form);
    kernel = NULL;
}

static void end(void)
{
    kernel_close(kernel);
    kernel_images_close(images);
    fake_kernel_close(&fake);
}

static enum kernel_status find(uint64_t address)
{
    return kernel_find(images, &fake.memory, address, &kernel);
}

/* Each symbol of code has its own name, from its start to the next. */
static void check_names(void)
{
    struct kernel_symbol symbol;
    uint64_t last = 0;
    uint32_t i;

    for ( i = fake.per_cpu; i < fake.count; i++ )
    {
        const struct fake_symbol *wanted = &fake.symbols[i];

        if ( wanted->address == last || !strchr("tT", wanted->type) ||
             !strcmp(wanted->name, "_etext") ||
             !strcmp(wanted->name, "_einittext") )
            continue;
        last = wanted->address;
        CHECK(kernel_name(kernel, last + 3, &symbol));
        CHECK_TEXT(symbol.name, wanted->name);
        CHECK(symbol.start == last && !symbol.module);
        CHECK(symbol.end > last + 3);
        CHECK(kernel_is_code(kernel, last));
    }
}

static const struct fake_form forms[] = {
    {.marker_width = 8, .release = "4.14.0"},
    {.release = "5.10.0", .many_alike = true},
    {.by_name_width = 3},
    {.by_name_width = 4},
    {.encoding = OFFSET_FROM_BASE},
    {.new_order = true, .by_name_width = 3, .memories = true},
    {.new_order = true, .encoding = OFFSET_FROM_BASE, .by_name_width = 3},
    {.new_order = true, .encoding = OFFSET_FROM_SELF, .by_name_width = 3},
    {.new_order = true,
     .encoding = OFFSET_FROM_SELF,
     .by_name_width = 3,
     .alignment = 4},
    {.new_order = true,
     .encoding = OFFSET_FROM_SELF,
     .by_name_width = 3,
     .alignment = 4,
     .functions = 20003},
    {.base = 0xffffffffa7200000ull, .functions = 20001},
    {.base = 0xffffffffbc000000ull, .new_order = true, .functions = 20001},
    {.base = 0xffffffff80200000ull,
     .encoding = OFFSET_FROM_BASE,
     .functions = 20001},
    {.base = 0xffffffff9a600000ull,
     .new_order = true,
     .encoding = OFFSET_FROM_SELF,
     .functions = 3000},
    {.functions = 2300, .new_order = true},
    {.functions = 2300},
};

static void each_form(void (*check)(const struct fake_form *form))
{
    size_t i;

    for ( i = 0; i < sizeof(forms) / sizeof(forms[0]); i++ )
    {
        fprintf(stderr, "form %zu\n", i);
        make(&forms[i]);
        check(&forms[i]);
        end();
    }
}

static void check_form(const struct fake_form *form)
{
    struct kernel_info facts;

    CHECK_EQ(find(fake_function(&fake, 100) + 5), KERNEL_OK);
    kernel_get_info(kernel, &facts);
    CHECK(facts.base == fake.kernel.address);
    CHECK_EQ(facts.symbols, fake.count - fake.per_cpu);
    CHECK_EQ(facts.build_id_length, 20);
    CHECK_EQ(facts.build_id[19], 0xab);
    CHECK_EQ(facts.rows, fake.form.functions / 2);
    CHECK_TEXT(facts.release, fake.form.release);
    CHECK(facts.checked && facts.bytes_read < 4 << 20);
    CHECK_EQ(facts.bytes_read, (16 << 20) - fake.memory.left);
    CHECK(!kernel_has_frame_pointers(kernel));
    check_names();
    (void)form;
}

TEST(all_layouts)
{
    each_form(check_form);
}

TEST(names_of_no_code)
{
    struct kernel_symbol symbol;

    make(&(struct fake_form){0});
    CHECK_EQ(find(fake_function(&fake, 1)), KERNEL_OK);
    CHECK(!kernel_name(kernel, fake_address(&fake, "modules"), &symbol));
    CHECK(!kernel_name(kernel, fake.kernel.address - 1, &symbol));
    CHECK(!kernel_name(kernel, fake.text_end, &symbol));
    CHECK(!kernel_name(kernel, 0, &symbol));
    CHECK(!kernel_name(kernel, ~0ull, &symbol));
    CHECK(!kernel_is_code(kernel, fake.text_end));
    CHECK(!kernel_is_code(kernel, FAKE_MODULES));
    end();
}

static void check_rows(const struct fake_form *form)
{
    struct unwind_row row;
    uint32_t i;

    CHECK_EQ(find(fake_function(&fake, 1)), KERNEL_OK);
    for ( i = 0; i + 2 < fake.form.functions; i += 37 )
    {
        CHECK(kernel_row(kernel, fake_function(&fake, i) + 1, &row));
        CHECK_EQ(row.kind, ROW_CALL);
        CHECK_EQ(row.cfa_base, ROW_BASE_SP);
        CHECK_EQ(row.cfa_offset, 8 + 8 * (i / 2 % 5));
    }
    CHECK(!kernel_row(kernel, fake_address(&fake, "modules"), &row));
    (void)form;
}

TEST(orc_rows)
{
    each_form(check_rows);
}

TEST(a_page_is_not_there)
{
    uint64_t page;
    unsigned int found = 0, lost = 0;

    make(&(struct fake_form){.functions = 5000, .new_order = true});
    for ( page = fake.kernel.address; page < fake_end(&fake.kernel);
          page += 4096 )
    {
        fake.hole = page;
        fake.memory.left = 16 << 20;
        if ( find(fake_function(&fake, 1)) == KERNEL_OK )
        {
            found++;
            check_names();
            kernel_close(kernel);
        }
        else
            lost++;
    }
    kernel = NULL;
    /* Code need not be readable, tables must. */
    CHECK(found > 10 && lost > 10);
    end();
}

/* Bytes change while they are read: nothing breaks, and a kernel that is found
 * can be asked. */
TEST(memory_that_changes)
{
    struct kernel_symbol symbol;
    struct unwind_row row;
    uint32_t round, i;

    make(&(struct fake_form){.functions = 3000, .modules = 5});
    for ( round = 0; round < 300; round++ )
    {
        fake.noise = 1 + round % 50;
        fake.form.new_order = round & 1;
        fake.memory.left = 16 << 20;
        if ( find(fake_function(&fake, 1)) != KERNEL_OK )
            continue;
        for ( i = 0; i < 3000; i += 97 )
        {
            kernel_name(kernel, fake_function(&fake, i), &symbol);
            kernel_row(kernel, fake_function(&fake, i), &row);
        }
        for ( i = 0; i < 5; i++ )
            kernel_name(kernel, fake_module(i) + FAKE_MODULE_TEXT + 70,
                        &symbol);
        kernel_look_at_modules(kernel, &fake.memory);
        kernel_close(kernel);
    }
    kernel = NULL;
    end();
}

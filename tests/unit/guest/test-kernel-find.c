/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernels found in memory, in every layout that their tables have had.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/code-frames.h"
#include "tests/harness.h"
#include "tests/unit/guest/kernel-ask.h"
#include "tests/unit/guest/linux/kernel-kit.h"

#define STRANGE 0xffffffff80200000ul /* a kernel that is not Linux */

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

TEST(from_wherever_it_was_seen)
{
    struct fake_form form = {.base = 0xffffffffa7200000ull, .modules = 2};
    uint64_t seen[5];
    size_t i;

    make(&form);
    seen[0] = fake_function(&fake, 0);
    seen[1] = fake.text_end - 1;
    seen[2] = fake_address(&fake, "start_of_all");
    seen[3] = fake_module(1) + FAKE_MODULE_TEXT;
    seen[4] = 0x7f1234560000; /* a user's; better than nothing */
    for ( i = 0; i < 5; i++ )
    {
        fake.memory.left = 16 << 20;
        CHECK_EQ(find(seen[i]), KERNEL_OK);
        check_names();
        kernel_close(kernel);
    }
    kernel = NULL;
    CHECK_EQ(find(fake_address(&fake, "linux_banner")), KERNEL_UNKNOWN);
    end();
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

/* Nothing says where the rows are; they are found by what they are. */
TEST(symbols_of_code_only)
{
    struct kernel_info facts;
    struct unwind_row row;
    int order;

    for ( order = 0; order < 2; order++ )
    {
        make(&(struct fake_form){.code_only = true,
                                 .new_order = order,
                                 .functions = 50000,
                                 .modules = 2});
        CHECK_EQ(find(fake_function(&fake, 1)), KERNEL_OK);
        check_names();
        kernel_get_info(kernel, &facts);
        CHECK_EQ(facts.rows, 25000);
        CHECK(kernel_row(kernel, fake_function(&fake, 9), &row));
        CHECK_EQ(row.cfa_offset, 8 + 8 * 4);
        CHECK(!facts.modules && !facts.build_id_length && !facts.release[0]);
        end();
    }
}

TEST(frame_pointers)
{
    make(&(struct fake_form){.no_orc = true, .frame_pointers = true});
    CHECK_EQ(find(fake_function(&fake, 1)), KERNEL_OK);
    CHECK(kernel_has_frame_pointers(kernel));
    end();
    make(&(struct fake_form){.no_orc = true});
    CHECK_EQ(find(fake_function(&fake, 1)), KERNEL_OK);
    CHECK(!kernel_has_frame_pointers(kernel));
    end();
}

/* Code that calls function after function, each 64 bytes; pages before it are
 * not there. */
static uint8_t strange[8192];

static size_t read_strange(void *self, uint64_t address, void *to, size_t size)
{
    uint64_t offset = address - STRANGE;

    (void)self;
    if ( offset >= sizeof(strange) )
        return 0;
    if ( size > sizeof(strange) - offset )
        size = sizeof(strange) - offset;
    memcpy(to, strange + offset, size);
    return size;
}

static bool makes_frames(const void *prologue, size_t size, unsigned int calls)
{
    struct guest_memory memory = {.read = read_strange, .left = 65536};

    memset(strange, 0x90, sizeof(strange));
    for ( unsigned int i = 0; i < calls; i++ )
    {
        int32_t distance = (int32_t)(4096 + 64 * i) - (int32_t)(8 * i + 5);

        memcpy(strange + 4096 + 64 * i, prologue, size);
        strange[8 * i] = 0xe8;
        memcpy(strange + 8 * i + 1, &distance, sizeof(distance));
    }
    return code_uses_frames(&memory, STRANGE + 100);
}

TEST(frame_pointers_of_strange_code)
{
    static const uint8_t long_mode[] = {0x55, 0x48, 0x89, 0xe5};
    static const uint8_t old_mode[] = {0x55, 0x89, 0xe5};
    static const uint8_t without[] = {0x55, 0x53, 0x48, 0x83, 0xec, 0x08};

    CHECK(makes_frames(long_mode, sizeof(long_mode), 20));
    CHECK(makes_frames(old_mode, sizeof(old_mode), 20));
    CHECK(!makes_frames(without, sizeof(without), 20));
    /* Too few to tell. */
    CHECK(!makes_frames(long_mode, sizeof(long_mode), 2));
    CHECK(!makes_frames(long_mode, sizeof(long_mode), 0));
    /* Most of what is called has none. */
    makes_frames(without, sizeof(without), 20);
    memcpy(strange + 4096, long_mode, sizeof(long_mode));
    CHECK(!code_uses_frames(
        &(struct guest_memory){.read = read_strange, .left = 65536},
        STRANGE + 100));
}

TEST(no_build_id)
{
    struct kernel_info facts;

    make(&(struct fake_form){.no_build_id = true});
    CHECK_EQ(find(fake_function(&fake, 1)), KERNEL_OK);
    kernel_get_info(kernel, &facts);
    CHECK_EQ(facts.build_id_length, 0);
    end();
}

/* Whatever the budget is, it is kept, and the answer says why it is none. */
TEST(budgets)
{
    uint64_t budget, used = 0;

    make(&(struct fake_form){.new_order = true});
    for ( budget = 0; budget < 1 << 20; budget += 37777 )
    {
        enum kernel_status status;

        fake.memory.left = budget;
        status = find(fake_function(&fake, 1));
        if ( !status )
        {
            used = budget;
            kernel_close(kernel);
        }
        else
            CHECK_EQ(status, KERNEL_BUDGET);
        CHECK(!used || !status);
    }
    kernel = NULL;
    CHECK(used);
    end();
}

/* What may be in memory: a word, and whether it could be of a sorted table. */
static uint32_t zeros(uint32_t i)
{
    return i * 0;
}

static uint32_t filler(uint32_t i)
{
    return 0xcccccccc + i * 0;
}

static uint32_t noise(uint32_t i)
{
    return (uint32_t)random() * 3 + i;
}

static uint32_t rising(uint32_t i)
{
    return i % 4096 * 64;
}

static uint32_t falling(uint32_t i)
{
    return ~(i % 5000 * 64);
}

static const struct {
    uint32_t (*word)(uint32_t i);
    bool sorted;
} patterns[] = {{zeros, false},
                {filler, false},
                {noise, false},
                {rising, true},
                {falling, true}};

/* It is soon given up; tables without end cost the budget. */
TEST(memory_that_is_no_linux)
{
    uint32_t i, count;
    size_t pattern;

    make(&(struct fake_form){.functions = 300000});
    count = (uint32_t)(fake.kernel.size / 4);
    for ( pattern = 0; pattern < sizeof(patterns) / sizeof(patterns[0]);
          pattern++ )
    {
        enum kernel_status status;

        srandom(1);
        for ( i = 0; i < count; i++ )
            ((uint32_t *)fake.kernel.bytes)[i] = patterns[pattern].word(i);
        fake.memory.left = 16 << 20;
        status = find(fake_function(&fake, 1));
        CHECK(status == KERNEL_UNKNOWN ||
              (patterns[pattern].sorted && status == KERNEL_BUDGET));
        CHECK(patterns[pattern].sorted || fake.memory.left > 14 << 20);
    }
    end();
}

/* One table contradicts the others. */
static const struct {
    const char *what;
    uint32_t from_markers; /* where; see below */
    bool in_index;
} damages[] = {
    {"a marker", 40, false},
    {"the token index", 17, true},
};

static uint8_t *find_bytes(const void *wanted, size_t size)
{
    uint8_t *at = memmem(fake.kernel.bytes, fake.kernel.size, wanted, size);

    CHECK(at);
    return at;
}

TEST(tables_that_contradict_each_other)
{
    static const char digits[] = "0\0001\0002\0003\0004\0005\0006\0007\0008";
    uint8_t *at;
    size_t i;
    int order;

    for ( order = 0; order < 2; order++ )
        for ( i = 0; i < sizeof(damages) / sizeof(damages[0]); i++ )
        {
            make(&(struct fake_form){.new_order = order});
            at = find_bytes(digits, sizeof(digits));
            if ( damages[i].in_index )
                at += 600 + damages[i].from_markers;
            else
                at -= 160 + damages[i].from_markers;
            *at ^= 0x40;
            if ( find(fake_function(&fake, 1)) == KERNEL_OK )
                test_fail(__FILE__, __LINE__, "%s was not noticed",
                          damages[i].what);
            kernel = NULL;
            end();
        }
}

TEST(a_page_is_not_there)
{
    uint64_t page;
    unsigned int found = 0, not = 0;

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
            not ++;
    }
    kernel = NULL;
    /* Code need not be readable, tables must. */
    CHECK(found > 10 && not > 10);
    end();
}

/* Bytes change while they are read: whatever comes of it, nothing breaks, and
 * what is called found can be asked. */
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

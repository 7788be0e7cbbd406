/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel that was written as flat tables answers as the one that it was
 * written from; equal kernels write equal bytes; damaged bytes cost a refusal
 * or a wrong answer, nothing else.
 */
#include <string.h>

#include "tests/harness.h"
#include "tests/unit/guest/kernel-ask.h"
#include "tests/unit/guest/linux/kernel-kit.h"
#include "tests/unit/guest/tables-kit.h"

static struct kernel_images *images;
static struct fake_kernel fake;
static struct kernel *found;
static struct kit_tables tables;

static void find(const struct fake_form *form)
{
    images = kernel_images_open();
    fake_kernel_open(&fake, form);
    CHECK_EQ(kernel_find(images, &fake.memory, fake_function(&fake, 1), &found),
             KERNEL_OK);
    tables = (struct kit_tables){.base = 0};
    CHECK(kit_put_tables(found, &tables));
}

static void lose(void)
{
    kit_free_tables(&tables);
    kernel_close(found);
    fake_kernel_close(&fake);
    kernel_images_close(images);
}

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a && b && !strcmp(a, b));
}

static void compare_rows(const struct unwind_row *a, const struct unwind_row *b)
{
    CHECK_EQ(a->kind, b->kind);
    CHECK_EQ(a->cfa_base, b->cfa_base);
    CHECK_EQ(a->cfa_way, b->cfa_way);
    CHECK_EQ(a->cfa_offset, b->cfa_offset);
    CHECK_EQ(a->bp_base, b->bp_base);
    CHECK_EQ(a->bp_offset, b->bp_offset);
    CHECK_EQ(a->signal, b->signal);
}

/* Both have the same answers at address. */
static void compare_at(const struct kernel *a, const struct kernel *b,
                       uint64_t address)
{
    struct kernel_symbol one = {0}, other = {0};
    struct unwind_row rows[2];
    struct unwind_code codes[2];
    char name[FAKE_NAME_MAX], module[64];
    bool there = kernel_name(a, address, &one);

    if ( there )
    {
        strcpy(name, one.name);
        one.name = name;
        strcpy(module, one.module ? one.module : "");
    }
    CHECK_EQ(kernel_name(b, address, &other), there);
    if ( there )
    {
        CHECK_TEXT(other.name, name);
        CHECK(is_same_text(other.module ? other.module : "", module));
        CHECK(one.start == other.start && one.end == other.end);
    }
    there = kernel_row(a, address, &rows[0]);
    CHECK_EQ(kernel_row(b, address, &rows[1]), there);
    if ( there )
        compare_rows(&rows[0], &rows[1]);
    CHECK_EQ(kernel_is_code(a, address), kernel_is_code(b, address));
    kernel_get_code(a, &codes[0]);
    kernel_get_code(b, &codes[1]);
    CHECK_EQ(codes[0].special(codes[0].self, address),
             codes[1].special(codes[1].self, address));
}

static void compare(const struct kernel *a, const struct kernel *b)
{
    struct kernel_info infos[2];

    for ( uint32_t i = 0; i < fake.count; i++ )
        for ( int near = -1; near < 2; near++ )
            compare_at(a, b, fake.symbols[i].address + near);
    for ( uint64_t at = FAKE_MODULES - 16; at < FAKE_MODULES + 4 * FAKE_MODULE;
          at += 16 )
        compare_at(a, b, at);
    kernel_get_info(a, &infos[0]);
    kernel_get_info(b, &infos[1]);
    infos[1].bytes_read = infos[0].bytes_read; /* of the guest's memory: none */
    CHECK(!memcmp(&infos[0], &infos[1], sizeof(infos[0])));
}

TEST(tables_answer_as_the_kernel_does)
{
    static const struct fake_form forms[] = {
        {.functions = 3000, .modules = 3},
        {.functions = 3000, .modules = 2, .memories = true, .new_order = true},
        {.functions = 3000, .encoding = OFFSET_PER_CPU, .cpus = 2},
        {.functions = 3000, .no_orc = true, .frame_pointers = true},
        {.functions = 3000, .no_btf = true, .no_build_id = true},
    };

    for ( size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++ )
    {
        struct kernel *again;

        find(&forms[i]);
        CHECK_EQ(kit_from_tables(&tables, &again), KERNEL_OK);
        compare(found, again);
        kernel_close(again);
        lose();
    }
}

/* KASLR must not cost a table of its own. */
TEST(equal_kernels_write_equal_bytes)
{
    struct fake_form form = {.functions = 3000, .cpus = 2};
    struct kit_tables first;

    find(&form);
    first = tables;
    tables = (struct kit_tables){.base = 0};
    lose();
    form.base = 0xffffffffa7200000ull;
    find(&form);
    CHECK(first.base != tables.base);
    CHECK_EQ(first.image.used, tables.image.used);
    CHECK(!memcmp(first.image.bytes, tables.image.bytes, first.image.used));
    kit_free_tables(&first);
    lose();
}

/* A search of its own reads modules again, from tables alone. */
TEST(modules_are_read_from_tables)
{
    const struct fake_form form = {.functions = 3000, .modules = 3};
    struct kit_tables later = {.base = 0};
    struct kernel *again, *newer;
    struct kernel_info info;

    find(&form);
    CHECK_EQ(kit_from_tables(&tables, &again), KERNEL_OK);
    fake_link_modules(&fake, 1, 3);
    fake.memory.left = 1 << 20;
    CHECK_EQ(kernel_look_at_modules(again, &fake.memory), KERNEL_OK);
    kernel_get_info(again, &info);
    CHECK_EQ(info.modules, 2);
    CHECK(kit_put_tables(again, &later));
    CHECK_EQ(kit_from_tables(&later, &newer), KERNEL_OK);
    compare(again, newer);
    kernel_close(newer);
    kernel_close(again);
    kit_free_tables(&later);
    lose();
}

static void ask_everything(const struct kernel *kernel)
{
    struct unwind_code code;
    struct kernel_symbol symbol;
    struct unwind_row row;

    kernel_get_code(kernel, &code);
    for ( uint32_t i = 0; i < fake.count; i += 3 )
    {
        uint64_t address = fake.symbols[i].address;

        kernel_name(kernel, address, &symbol);
        code.row(code.self, address, &row);
        code.special(code.self, address);
    }
    for ( uint64_t at = FAKE_MODULES; at < FAKE_MODULES + 2 * FAKE_MODULE;
          at += 64 )
    {
        kernel_name(kernel, at, &symbol);
        code.row(code.self, at, &row);
    }
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* Whatever the bytes are: what a sanitizer does not see is a good answer. */
static void try_changed(struct buffer *bytes, uint32_t *random)
{
    uint8_t *at = bytes->bytes + next_random(random) % bytes->used, old = *at;
    struct kernel *again;

    *at ^= 1u << next_random(random) % 8;
    if ( kit_from_tables(&tables, &again) == KERNEL_OK )
    {
        ask_everything(again);
        kernel_close(again);
    }
    *at = old;
}

TEST(damaged_tables_are_safe)
{
    const struct fake_form form = {.functions = 3000, .modules = 2};
    uint32_t random = 1;

    find(&form);
    for ( int i = 0; i < 300; i++ )
    {
        try_changed(&tables.image, &random);
        try_changed(&tables.modules, &random);
    }
    lose();
}

TEST(short_tables_are_refused)
{
    const struct fake_form form = {.functions = 3000, .modules = 1};
    size_t image, modules;
    struct kernel *again;

    find(&form);
    image = tables.image.used;
    modules = tables.modules.used;
    for ( tables.image.used = 0; tables.image.used < image;
          tables.image.used += 1000 )
        CHECK_EQ(kit_from_tables(&tables, &again), KERNEL_DAMAGED);
    tables.image.used = image;
    for ( tables.modules.used = 0; tables.modules.used < modules;
          tables.modules.used += 8 )
        CHECK_EQ(kit_from_tables(&tables, &again), KERNEL_DAMAGED);
    tables.modules.used = modules;
    lose();
}

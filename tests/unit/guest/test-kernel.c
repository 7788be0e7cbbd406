/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guests with equal kernels share one image; none gets another's words.  A
 * search stays within its budget.
 */
#include <stdlib.h>

#include "guest/finder.h"
#include "tests/harness.h"
#include "tests/unit/guest/kernel-ask.h"
#include "tests/unit/guest/linux/kernel-kit-file.h"

static struct kernel_images *images;

static uint32_t count_images(void)
{
    const struct kernel_image *image;
    uint32_t count = 0;

    for ( image = images->list; image; image = image->next )
        count++;
    return count;
}

/* Equal kernels share an image, wherever they lie; a kernel that only claims
 * the same build-id does not. */
TEST(images_are_shared)
{
    static const struct fake_form alike[] = {
        {.functions = 3000},
        {.functions = 3000, .base = 0xffffffffa7200000ull},
        {.functions = 3000, .renamed = "sys_do_no_7_h"},
    };
    struct fake_kernel guests[3];
    struct kernel *kernels[3];
    struct kernel_symbol symbol;
    int i;

    images = kernel_images_open();
    for ( i = 0; i < 3; i++ )
    {
        fake_kernel_open(&guests[i], &alike[i]);
        CHECK_EQ(kernel_find(images, &guests[i].memory,
                             fake_function(&guests[i], 1), &kernels[i]),
                 KERNEL_OK);
    }
    CHECK_EQ(count_images(), 2);
    for ( i = 0; i < 3; i++ )
    {
        CHECK(kernel_name(kernels[i], fake_function(&guests[i], 7), &symbol));
        CHECK_TEXT(symbol.name, i < 2 ? "sys_do_it_7_h" : "sys_do_no_7_h");
        CHECK(symbol.start == fake_function(&guests[i], 7));
    }
    for ( i = 0; i < 3; i++ )
    {
        CHECK_EQ(count_images(), i < 2 ? 2 : 1);
        kernel_close(kernels[i]);
        fake_kernel_close(&guests[i]);
    }
    CHECK_EQ(count_images(), 0);
    kernel_images_close(images);
}

/* The same symbols and bytes of rows, but elsewhere: rows have the distance to
 * their code, so these are other rows. */
TEST(rows_elsewhere_are_others)
{
    struct fake_form form = {.code_only = true,
                             .new_order = true,
                             .functions = 50000,
                             .orc_moved = FAKE_FUNCTION};
    struct fake_kernel hostile, honest;
    struct kernel *kernels[2];
    struct unwind_row row;

    images = kernel_images_open();
    fake_kernel_open(&hostile, &form);
    form.orc_moved = 0;
    fake_kernel_open(&honest, &form);
    CHECK_EQ(kernel_find(images, &hostile.memory, fake_function(&hostile, 1),
                         &kernels[0]),
             KERNEL_OK);
    CHECK_EQ(kernel_find(images, &honest.memory, fake_function(&honest, 1),
                         &kernels[1]),
             KERNEL_OK);
    CHECK(kernel_row(kernels[0], fake_function(&hostile, 8), &row));
    CHECK_EQ(row.cfa_offset, 8 + 8 * 3);
    CHECK(kernel_row(kernels[1], fake_function(&honest, 8), &row));
    CHECK_EQ(row.cfa_offset, 8 + 8 * 4);
    kernel_close(kernels[0]);
    kernel_close(kernels[1]);
    fake_kernel_close(&hostile);
    fake_kernel_close(&honest);
    kernel_images_close(images);
}

/* A file that many guests use is in memory once. */
TEST(a_file_is_shared_by_guests)
{
    struct fake_form form = {.functions = 3000};
    struct fake_kernel linked, moved;
    struct kernel *kernels[2];
    struct kernel_symbol here, there;
    struct fake_part elf;

    images = kernel_images_open();
    fake_kernel_open(&linked, &form);
    form.base = 0xffffffffa7200000ull;
    fake_kernel_open(&moved, &form);
    fake_elf(&linked, &elf);
    CHECK_EQ(kernel_from_file(images, elf.bytes, elf.size, &moved.memory,
                              fake_function(&moved, 5), &kernels[0]),
             KERNEL_OK);
    CHECK_EQ(kernel_from_file(images, elf.bytes, elf.size, &linked.memory,
                              fake_function(&linked, 5), &kernels[1]),
             KERNEL_OK);
    free(elf.bytes);
    CHECK_EQ(count_images(), 1);
    CHECK(kernel_name(kernels[0], fake_function(&moved, 9), &here));
    CHECK(kernel_name(kernels[1], fake_function(&linked, 9), &there));
    CHECK(here.name == there.name && here.start != there.start);
    kernel_close(kernels[0]);
    kernel_close(kernels[1]);
    kernel_images_close(images);
    fake_kernel_close(&linked);
    fake_kernel_close(&moved);
}

/* Any budget is kept, and a search that fails says why. */
TEST(budgets)
{
    struct fake_kernel guest;
    struct kernel *kernel;
    uint64_t used = 0;

    images = kernel_images_open();
    fake_kernel_open(&guest, &(struct fake_form){.new_order = true});
    for ( uint64_t budget = 0; budget < 1 << 20; budget += 37777 )
    {
        enum kernel_status status;

        guest.memory.left = budget;
        status = kernel_find(images, &guest.memory, fake_function(&guest, 1),
                             &kernel);
        CHECK(guest.memory.left <= budget);
        if ( !status )
        {
            used = budget;
            kernel_close(kernel);
        }
        else
            CHECK_EQ(status, KERNEL_BUDGET);
        CHECK(!used || !status);
    }
    CHECK(used);
    fake_kernel_close(&guest);
    kernel_images_close(images);
}

TEST(nothing_can_be_closed)
{
    kernel_close(NULL);
    kernel_images_close(NULL);
}

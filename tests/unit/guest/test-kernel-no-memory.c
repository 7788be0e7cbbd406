/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Searches a kernel again and again, with the first, second, third, ...
 * allocation failing, until none fails.  Each search says that it failed, or
 * finds a kernel that can be asked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/kernel.h"
#include "tests/harness.h"
#include "tests/no-memory-kit.h"
#include "tests/unit/guest/kernel-ask.h"
#include "tests/unit/guest/linux/kernel-kit-file.h"

static struct fake_kernel fake;
static struct fake_part file; /* empty: the kernel is in memory only */

static enum kernel_status search(struct kernel_images *images,
                                 struct kernel **kernel)
{
    fake.memory.left = 16 << 20;
    return file.size
               ? kernel_from_file(images, file.bytes, file.size, &fake.memory,
                                  fake_function(&fake, 5), kernel)
               : kernel_find(images, &fake.memory, fake_function(&fake, 5),
                             kernel);
}

/* Returns true if no allocation failed. */
static bool search_with_failure(unsigned long number)
{
    struct kernel_images *images;
    struct kernel *kernel = NULL;
    struct kernel_symbol symbol;
    struct unwind_row row;
    bool done;

    fail_allocation(number);
    images = kernel_images_open();
    if ( images && search(images, &kernel) == KERNEL_OK )
    {
        kernel_name(kernel, fake_function(&fake, 9), &symbol);
        kernel_name(kernel, fake_module(0) + FAKE_MODULE_TEXT + 70, &symbol);
        kernel_row(kernel, fake_function(&fake, 9), &row);
    }
    done = fail_allocation(0);
    kernel_close(kernel);
    kernel_images_close(images);
    return done;
}

static void search_until_none_fails(void)
{
    unsigned long number;

    for ( number = 1; !search_with_failure(number); number++ )
        CHECK(number < 1000);
    fprintf(stderr, "%lu allocations\n", number - 1);
    CHECK(number > 10);
}

static void begin(void)
{
    memset(&file, 0, sizeof(file));
    fake_kernel_open(&fake,
                     &(struct fake_form){.functions = 2300, .modules = 2});
}

static void end(void)
{
    free(file.bytes);
    fake_kernel_close(&fake);
}

TEST(in_memory)
{
    begin();
    search_until_none_fails();
    end();
}

TEST(from_an_elf_file)
{
    struct fake_part elf;

    begin();
    fake_elf(&fake, &elf);
    fake_pack(&elf, FAKE_LZ4, &file);
    free(elf.bytes);
    search_until_none_fails();
    end();
}

TEST(from_text)
{
    begin();
    fake_system_map(&fake, &file);
    search_until_none_fails();
    end();
}

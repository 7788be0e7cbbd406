/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A file's image, looked for in guests that run it, elsewhere, or another. */
#include <stdlib.h>
#include <string.h>

#include "guest/linux/image-base.h"
#include "guest/linux/image-read.h"
#include "kernel-kit-file.h"
#include "tests/harness.h"

#define ELSEWHERE 0xffffffffa7200000ull

static const uint8_t key[16];
static struct fake_kernel file;  /* as it was linked */
static struct fake_kernel guest; /* as it runs */
static struct linux_image *image;
static uint64_t base;

static void begin(struct fake_form form)
{
    form.functions = 3000;
    fake_kernel_open(&file, &form);
    form.base = ELSEWHERE;
    fake_kernel_open(&guest, &form);
    CHECK_EQ(
        image_read(&(struct kernel_search){.memory = &file.memory,
                                           .address = fake_function(&file, 5),
                                           .key = key},
                   &image),
        KERNEL_OK);
}

static void end(void)
{
    linux_image_free(image);
    fake_kernel_close(&file);
    fake_kernel_close(&guest);
}

static enum kernel_status find_in(struct fake_kernel *into,
                                  const struct elf_memory *elf)
{
    into->memory.left = 16 << 20;
    base = 0;
    return image_find_base(image, elf, &into->memory, fake_function(into, 5),
                           &base);
}

TEST(a_build_id_is_found_where_kaslr_put_it)
{
    begin((struct fake_form){0});
    CHECK_EQ(find_in(&file, NULL), KERNEL_OK);
    CHECK(base == FAKE_LINKED);
    CHECK_EQ(find_in(&guest, NULL), KERNEL_OK);
    CHECK(base == ELSEWHERE);
    *fake_bytes(&guest, guest.build_id + 3) ^= 1;
    CHECK_EQ(find_in(&guest, NULL), KERNEL_MISMATCH);
    end();
}

TEST(without_a_build_id_the_banner_counts)
{
    begin((struct fake_form){.no_build_id = true});
    CHECK_EQ(find_in(&guest, NULL), KERNEL_OK);
    CHECK(base == ELSEWHERE);
    *fake_bytes(&guest, fake_address(&guest, "linux_banner") + 14) = '7';
    CHECK_EQ(find_in(&guest, NULL), KERNEL_MISMATCH);
    end();
}

/* Half of what is looked at: a kernel patches its code. */
TEST(without_a_banner_code_is_compared)
{
    struct elf_memory elf;
    struct fake_part bytes;

    begin((struct fake_form){.no_build_id = true});
    image->banner_at = 0;
    fake_elf(&file, &bytes);
    CHECK(elf_memory_open(&elf, bytes.bytes, bytes.size));
    CHECK_EQ(find_in(&guest, &elf), KERNEL_OK);
    CHECK(base == ELSEWHERE);
    memset(fake_bytes(&guest, ELSEWHERE), 0xcc, 3000 * FAKE_FUNCTION / 3);
    CHECK_EQ(find_in(&guest, &elf), KERNEL_OK);
    memset(fake_bytes(&guest, ELSEWHERE), 0xcc, 3000 * FAKE_FUNCTION * 2 / 3);
    CHECK_EQ(find_in(&guest, &elf), KERNEL_MISMATCH);
    elf_memory_close(&elf);
    free(bytes.bytes);
    end();
}

TEST(where_nothing_can_be_compared_the_address_decides)
{
    begin((struct fake_form){.no_build_id = true});
    image->banner_at = 0;
    CHECK_EQ(find_in(&file, NULL), KERNEL_OK);
    CHECK(base == FAKE_LINKED);
    CHECK_EQ(find_in(&guest, NULL), KERNEL_MISMATCH);
    end();
}

TEST(a_search_ends_with_the_budget)
{
    begin((struct fake_form){0});
    *fake_bytes(&guest, guest.build_id) ^= 1;
    guest.memory.left = 5000;
    CHECK_EQ(image_find_base(image, NULL, &guest.memory, ELSEWHERE, &base),
             KERNEL_BUDGET);
    end();
}

/* As after kexec; but a page that is not there says nothing. */
TEST(an_image_is_replaced_by_another)
{
    begin((struct fake_form){0});
    CHECK(!image_is_replaced(image, &guest.memory, ELSEWHERE));
    guest.hole = guest.build_id & ~4095ull;
    CHECK(!image_is_replaced(image, &guest.memory, ELSEWHERE));
    guest.hole = 0;
    *fake_bytes(&guest, guest.build_id) ^= 1;
    CHECK(image_is_replaced(image, &guest.memory, ELSEWHERE));
    image->shared.build_id_length = 0;
    CHECK(!image_is_replaced(image, &guest.memory, ELSEWHERE));
    image->banner_at = 0;
    CHECK(!image_is_replaced(image, &guest.memory, ELSEWHERE));
    end();
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an image has beside its symbols, and guests that lie about it. */
#include <string.h>

#include "guest/linux/image-read.h"
#include "kernel-kit.h"
#include "tests/harness.h"

static const uint8_t key[16];
static struct fake_kernel fake;
static struct linux_image *image;

static enum kernel_status read_at(uint64_t address)
{
    fake.memory.left = 16 << 20;
    return image_read(&(struct kernel_search){.memory = &fake.memory,
                                              .address = address,
                                              .key = key},
                      &image);
}

static void begin(const struct fake_form *form)
{
    fake_kernel_open(&fake, form);
}

static void read_image(void)
{
    CHECK_EQ(read_at(fake_function(&fake, 1)), KERNEL_OK);
}

static void end(void)
{
    fake_kernel_close(&fake);
}

TEST(an_image_has_what_its_marks_say)
{
    begin(&(struct fake_form){.modules = 1});
    read_image();
    CHECK(image->base == fake.kernel.address);
    CHECK(image->base + image->code[0].end == fake.text_end);
    CHECK(image->base + image->build_id_at == fake.build_id);
    CHECK(image->base + image->banner_at ==
          fake_address(&fake, "linux_banner"));
    CHECK(image->base + image->kmods_at == fake.modules_head);
    CHECK(image->kmods.known && image->orc && image->shared.fingerprint);
    CHECK_EQ(image->shared.references, 1);
    linux_image_free(image);
    end();
}

TEST(an_address_of_no_code_has_no_image)
{
    begin(&(struct fake_form){0});
    CHECK_EQ(read_at(fake_address(&fake, "linux_banner")), KERNEL_UNKNOWN);
    end();
}

TEST(frame_pointers)
{
    begin(&(struct fake_form){.no_orc = true, .frame_pointers = true});
    read_image();
    CHECK(image->frame_pointers);
    linux_image_free(image);
    end();
    begin(&(struct fake_form){.no_orc = true});
    read_image();
    CHECK(!image->frame_pointers);
    linux_image_free(image);
    end();
}

TEST(no_build_id)
{
    begin(&(struct fake_form){.no_build_id = true});
    read_image();
    CHECK_EQ(image->shared.build_id_length, 0);
    linux_image_free(image);
    end();
}

/* The first note, with so long a build-id that takes the place of those
 * behind it. */
TEST(a_build_id_has_a_longest_length)
{
    for ( uint32_t length = 0; length <= 24; length += 4 )
    {
        const uint32_t note[4] = {4, length, 3, 0x00554e47}; /* "GNU" */

        begin(&(struct fake_form){0});
        memcpy(fake_bytes(&fake, fake_address(&fake, "__start_notes")), note,
               sizeof(note));
        read_image();
        CHECK_EQ(image->shared.build_id_length, length > 20 ? 0 : length);
        linux_image_free(image);
        end();
    }
}

static void check_release(const char *banner, const char *release)
{
    uint8_t *at;

    begin(&(struct fake_form){0});
    at = fake_bytes(&fake, fake_address(&fake, "linux_banner"));
    memset(at, 0, 256);
    memcpy(at, banner, strlen(banner));
    read_image();
    CHECK_TEXT(image->release, release);
    CHECK_EQ(image->banner_at != 0, *release != 0);
    linux_image_free(image);
    end();
}

TEST(a_release_is_a_word_of_the_banner)
{
    char text[256] = "Linux version ";

    check_release("Linux version 6.1.0-31-amd64 (debian)", "6.1.0-31-amd64");
    check_release("Linux version 6.1", "6.1");
    check_release("Linux Version 6.1", "");
    check_release("Linux version 6.\0331m (x)", "");
    check_release("", "");
    /* As long as there is room, and longer. */
    memset(text + 14, '6', 95);
    check_release(text, text + 14);
    memset(text + 14, '6', 96);
    check_release(text, "");
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are packed, boot images that have one of those in them, and
 * those that only say so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "guest/unpack.h"
#include "tests/harness.h"
#include "tests/unit/guest/linux/kernel-kit-file.h"

static struct fake_part elf;

static void begin(void)
{
    struct fake_kernel fake;

    fake_kernel_open(&fake, &(struct fake_form){.functions = 2300});
    fake_elf(&fake, &elf);
    fake_kernel_close(&fake);
}

static void end(void)
{
    free(elf.bytes);
}

static void check_is_elf(const struct fake_part *file)
{
    struct unpacked unpacked;

    CHECK_EQ(unpack_kernel(file->bytes, file->size, &unpacked), KERNEL_OK);
    CHECK_EQ(unpacked.size, elf.size);
    CHECK(!memcmp(unpacked.bytes, elf.bytes, elf.size));
    unpack_free(&unpacked);
}

TEST(every_packing)
{
    struct fake_part packed, image;

    begin();
    for ( int packing = FAKE_PLAIN; packing < FAKE_PACKINGS; packing++ )
    {
        fprintf(stderr, "packing %d\n", packing);
        fake_pack(&elf, packing, &packed);
        check_is_elf(&packed);
        fake_boot_image(&packed, elf.size, &image);
        if ( packing != FAKE_PLAIN )
            check_is_elf(&image);
        free(packed.bytes);
        free(image.bytes);
    }
    end();
}

/* Nothing is copied. */
TEST(what_is_not_packed_is_given_back)
{
    static const uint8_t text[] = "ffffffff81000000 T _stext\n";
    struct unpacked unpacked;

    for ( size_t size = 0; size < sizeof(text); size++ )
    {
        CHECK_EQ(unpack_kernel(text, size, &unpacked), KERNEL_OK);
        CHECK(unpacked.bytes == text && !unpacked.owned);
        CHECK_EQ(unpacked.size, size);
        unpack_free(&unpacked);
    }
}

TEST(a_file_that_ends_early)
{
    struct fake_part packed, image;
    struct unpacked unpacked;

    begin();
    for ( int packing = FAKE_GZIP; packing < FAKE_PACKINGS; packing++ )
    {
        fake_pack(&elf, packing, &packed);
        fake_boot_image(&packed, elf.size, &image);
        for ( size_t size = 0x260; size < image.size - 4;
              size += image.size / 23 )
        {
            uint8_t *part = malloc(size);

            memcpy(part, image.bytes, size);
            CHECK_EQ(unpack_kernel(part, size, &unpacked), KERNEL_DAMAGED);
            free(part);
        }
        free(packed.bytes);
        free(image.bytes);
    }
    end();
}

static enum kernel_status unpack_image(const struct fake_part *packed,
                                       size_t length)
{
    struct fake_part image;
    struct unpacked unpacked;
    enum kernel_status status;

    fake_boot_image(packed, length, &image);
    status = unpack_kernel(image.bytes, image.size, &unpacked);
    if ( !status )
        unpack_free(&unpacked);
    free(image.bytes);
    return status;
}

/* The length behind the payload is a lie. */
TEST(a_wrong_length)
{
    struct fake_part packed;

    begin();
    fake_pack(&elf, FAKE_GZIP, &packed);
    CHECK_EQ(unpack_image(&packed, elf.size), KERNEL_OK);
    CHECK_EQ(unpack_image(&packed, elf.size - 1), KERNEL_DAMAGED);
    CHECK_EQ(unpack_image(&packed, 0), KERNEL_DAMAGED);
    CHECK_EQ(unpack_image(&packed, UNPACKED_MAX + 1), KERNEL_DAMAGED);
    CHECK_EQ(unpack_image(&packed, UINT32_MAX), KERNEL_DAMAGED);
    free(packed.bytes);
    end();
}

/* The header's offset and length, of 4 bytes each. */
static enum kernel_status unpack_at(struct fake_part *image, uint32_t offset,
                                    uint32_t length)
{
    struct unpacked unpacked;
    enum kernel_status status;

    memcpy(image->bytes + 0x248, &offset, sizeof(offset));
    memcpy(image->bytes + 0x24c, &length, sizeof(length));
    status = unpack_kernel(image->bytes, image->size, &unpacked);
    if ( !status )
        unpack_free(&unpacked);
    return status;
}

TEST(a_payload_outside_of_the_file)
{
    struct fake_part packed, image;
    uint32_t length;

    begin();
    fake_pack(&elf, FAKE_GZIP, &packed);
    fake_boot_image(&packed, elf.size, &image);
    length = (uint32_t)packed.size + 4;
    CHECK_EQ(unpack_at(&image, 64, length), KERNEL_OK);
    CHECK_EQ(unpack_at(&image, 64, length + 1), KERNEL_DAMAGED);
    CHECK_EQ(unpack_at(&image, 64, UINT32_MAX), KERNEL_DAMAGED);
    CHECK_EQ(unpack_at(&image, 65, length), KERNEL_DAMAGED);
    CHECK_EQ(unpack_at(&image, UINT32_MAX, length), KERNEL_DAMAGED);
    CHECK_EQ(unpack_at(&image, 64, 0), KERNEL_DAMAGED);
    CHECK_EQ(unpack_at(&image, 64, 7), KERNEL_DAMAGED);
    free(packed.bytes);
    free(image.bytes);
    end();
}

/* Bytes that unpack to far more than any kernel: the room is bounded. */
TEST(what_packs_too_well_is_refused)
{
    struct fake_part zeros = {NULL, 0, 0, 0}, packed;
    struct unpacked unpacked;

    fake_add(&zeros, NULL, 8 << 20);
    fake_pack(&zeros, FAKE_XZ, &packed);
    CHECK(packed.size * 256 < zeros.size);
    CHECK_EQ(unpack_kernel(packed.bytes, packed.size, &unpacked),
             KERNEL_DAMAGED);
    free(packed.bytes);
    free(zeros.bytes);
}

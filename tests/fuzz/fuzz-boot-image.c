/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that somebody names as a kernel (packed, ELF, or text): a good file
 * with changes, or any bytes.
 */
#include <stdlib.h>
#include <string.h>

#include "guest/kernel.h"
#include "edits.h"
#include "fuzz.h"
#include "tests/unit/guest/linux/kernel-kit-file.h"

static const struct {
    enum fake_packing packing;
    bool boot_image, text;
} forms[] = {
    {.packing = FAKE_PLAIN},
    {.packing = FAKE_GZIP},
    {.packing = FAKE_XZ, .boot_image = true},
    {.packing = FAKE_LZMA, .boot_image = true},
    {.packing = FAKE_ZSTD, .boot_image = true},
    {.packing = FAKE_LZ4, .boot_image = true},
    {.text = true},
};

#define FORMS  (sizeof(forms) / sizeof(forms[0]))
#define ITSELF FORMS /* the input is the file */

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    return number < FORMS ? edits_seed(number, bytes) : 0;
}

static void make(unsigned int number, struct fake_part *ret)
{
    struct fake_form form = {.functions = 2100, .no_btf = true};
    struct fake_part file, packed;
    struct fake_kernel fake;

    fake_kernel_open(&fake, &form);
    if ( forms[number].text )
        fake_system_map(&fake, &file);
    else
        fake_elf(&fake, &file);
    fake_pack(&file, forms[number].packing, &packed);
    if ( forms[number].boot_image )
        fake_boot_image(&packed, file.size, ret);
    else
        fake_pack(&packed, FAKE_PLAIN, ret);
    free(file.bytes);
    free(packed.bytes);
    fake_kernel_close(&fake);
}

static void load(const uint8_t *bytes, size_t size)
{
    struct kernel_images *images = kernel_images_open();
    struct kernel_symbol symbol;
    struct kernel *kernel;

    FUZZ_CHECK(images);
    if ( !kernel_from_file(images, bytes, size, NULL, 0, &kernel) )
    {
        kernel_name(kernel, FAKE_LINKED + 100, &symbol);
        kernel_close(kernel);
    }
    kernel_images_close(images);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fake_part originals[FORMS];
    unsigned int number = size ? data[0] % (FORMS + 1) : ITSELF;
    struct fake_part *part = &originals[number % FORMS];
    uint8_t *copy;

    if ( number == ITSELF )
    {
        load(data + (size > 0), size - (size > 0));
        return 0;
    }
    if ( !part->bytes )
        make(number, part);
    copy = malloc(part->size);
    FUZZ_CHECK(copy);
    memcpy(copy, part->bytes, part->size);
    edits_apply(data, size, copy, part->size);
    load(copy, part->size);
    free(copy);
    return 0;
}

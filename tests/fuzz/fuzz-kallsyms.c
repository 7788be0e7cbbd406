/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A kernel's memory as a hostile guest would make it: a good kernel's, changed.
 */
#include <stdlib.h>
#include <string.h>

#include "guest/kernel.h"
#include "fuzz.h"
#include "restless.h"
#include "tests/unit/guest/kernel-ask.h"
#include "tests/unit/guest/linux/kernel-kit.h"

#define LOOKED 64u

static const struct fake_form forms[] = {
    {.functions = 2100, .no_orc = true, .frame_pointers = true},
    {.functions = 2100, .new_order = true, .by_name_width = 3, .modules = 2},
    {.functions = 2100,
     .new_order = true,
     .encoding = OFFSET_FROM_SELF,
     .alignment = 4},
    {.functions = 2100, .marker_width = 8, .encoding = OFFSET_FROM_BASE},
    {.functions = 5000, .code_only = true},
};

#define FORMS (sizeof(forms) / sizeof(forms[0]))

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    return restless_seed(number, FORMS, bytes);
}

static void ask(struct kernel *kernel, size_t size)
{
    struct kernel_symbol symbol;
    struct unwind_row row;
    uint64_t i;

    for ( i = 0; i < LOOKED; i++ )
    {
        uint64_t address = FAKE_LINKED + size / LOOKED * i;

        if ( kernel_name(kernel, address, &symbol) )
            FUZZ_CHECK(symbol.start <= address && symbol.name[0]);
        kernel_row(kernel, address, &row);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct fake_kernel originals[FORMS];
    struct fake_kernel *fake = &originals[size ? data[0] % FORMS : 0];
    struct kernel_images *images = kernel_images_open();
    struct restless restless;
    struct kernel *kernel;
    uint8_t *original;

    FUZZ_CHECK(images);
    if ( !fake->kernel.bytes )
        fake_kernel_open(fake, &forms[size ? data[0] % FORMS : 0]);
    original = malloc(fake->kernel.size);
    FUZZ_CHECK(original);
    memcpy(original, fake->kernel.bytes, fake->kernel.size);
    edits_apply(data, size, fake->kernel.bytes, fake->kernel.size);
    fake->memory.left = 4 << 20;
    restless_begin(&restless, &fake->memory, data, size);
    if ( !kernel_find(images, &fake->memory, FAKE_LINKED + 100, &kernel) )
    {
        ask(kernel, fake->kernel.size);
        kernel_close(kernel);
    }
    kernel_images_close(images);
    restless_end(&restless, &fake->memory);
    memcpy(fake->kernel.bytes, original, fake->kernel.size);
    free(original);
    return 0;
}

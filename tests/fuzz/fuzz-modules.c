/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A hostile guest's list of modules, what it leads to, and the type information
 * that says how to read the list: good ones, changed.
 */
#include <stdlib.h>
#include <string.h>

#include "guest/linux/kmod-list.h"
#include "fuzz.h"
#include "restless.h"
#include "tests/unit/guest/linux/kernel-kit.h"

static struct fake_kernel originals[2];

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    return restless_seed(number, 4, bytes);
}

/* The kit's kernel with the first or the second shape of struct module. */
static struct fake_kernel *original(unsigned int number)
{
    struct fake_form form = {
        .functions = 300, .modules = 2, .memories = number};

    if ( !originals[number].kernel.bytes )
        fake_kernel_open(&originals[number], &form);
    return &originals[number];
}

static void read_modules(struct fake_kernel *fake)
{
    struct kmod_layout layout;
    struct kmods modules = {0};
    const struct kmod *module;

    fake->memory.left = 4 << 20;
    fake_kmod_layout(fake, fake_address(fake, "__start_BTF"),
                     fake_address(fake, "__stop_BTF"), &layout);
    kmods_read(&modules, &fake->memory, &layout, ORC_LAYOUT_4_14,
               fake->modules_head);
    kmods_read(&modules, &fake->memory, &layout, ORC_LAYOUT_6_4,
               fake->modules_head);
    FUZZ_CHECK(modules.count <= KMODS_MAX);
    for ( module = modules.list; module; module = module->next )
        FUZZ_CHECK(module->name[0] &&
                   memchr(module->name, '\0', sizeof(module->name)));
    kmods_free(&modules);
}

/* Bit 0 of the first byte is the shape; bit 1 says whether types or modules are
 * changed. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct fake_kernel *fake = original(size ? data[0] & 1 : 0);
    uint64_t types = fake_address(fake, "__start_BTF");
    uint8_t *bytes = fake->modules.bytes, *copy;
    size_t count = fake->modules.size;
    struct restless restless;

    if ( size && data[0] & 2 )
    {
        bytes = fake_bytes(fake, types);
        count = fake_address(fake, "__stop_BTF") - types;
    }
    copy = malloc(count);
    FUZZ_CHECK(copy);
    memcpy(copy, bytes, count);
    edits_apply(data, size, bytes, count);
    restless_begin(&restless, &fake->memory, data, size);
    read_modules(fake);
    restless_end(&restless, &fake->memory);
    memcpy(bytes, copy, count);
    free(copy);
    return 0;
}

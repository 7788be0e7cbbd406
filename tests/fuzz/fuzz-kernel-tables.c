/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of a kernel, as a guest that took its own search over would write
 * them. */
#include <string.h>

#include "edits.h"
#include "fuzz.h"
#include "tests/unit/guest/linux/kernel-kit.h"
#include "tests/unit/guest/tables-kit.h"

static struct kit_tables original;

static void make_original(void)
{
    const struct fake_form form = {.functions = 3000, .modules = 2};
    struct kernel_images *images = kernel_images_open();
    struct fake_kernel fake;
    struct kernel *kernel;

    fake_kernel_open(&fake, &form);
    FUZZ_CHECK(kernel_find(images, &fake.memory, fake_function(&fake, 1),
                           &kernel) == KERNEL_OK);
    FUZZ_CHECK(kit_put_tables(kernel, &original));
    kernel_close(kernel);
    kernel_images_close(images);
    fake_kernel_close(&fake);
}

size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    return number < 2 ? edits_seed(number, bytes) : 0;
}

static void ask(const struct kernel *kernel, uint64_t address)
{
    struct unwind_code code;
    struct kernel_symbol symbol;
    struct unwind_row row;

    if ( kernel_name(kernel, address, &symbol) )
        FUZZ_CHECK(strlen(symbol.name) < KALLSYMS_NAME_MAX * 2);
    kernel_get_code(kernel, &code);
    code.special(code.self, address);
    if ( !code.row(code.self, address, &row) )
        return;
    FUZZ_CHECK(row.kind <= ROW_INTERRUPT);
    FUZZ_CHECK(row.cfa_base < ROW_BASES && row.bp_base < ROW_BASES);
}

static void ask_all(void)
{
    struct kernel *kernel;

    if ( kit_from_tables(&original, &kernel) )
        return;
    for ( uint64_t at = 0; at < 3000 * FAKE_FUNCTION; at += 72 )
        ask(kernel, original.base + at);
    for ( uint64_t at = 0; at < 3 * FAKE_MODULE; at += 256 )
        ask(kernel, FAKE_MODULES + at);
    kernel_close(kernel);
}

/* Bit 0 of the first byte chooses the table that changes. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct buffer *table = size && data[0] & 1 ? &original.modules
                                               : &original.image;
    uint8_t *copy;

    if ( !original.image.bytes )
        make_original();
    copy = malloc(table->used);
    FUZZ_CHECK(copy);
    memcpy(copy, table->bytes, table->used);
    edits_apply(data, size, table->bytes, table->used);
    ask_all();
    memcpy(table->bytes, copy, table->used);
    free(copy);
    return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A file that somebody names as a hypervisor: a good boot file with changes, or
 * any bytes, as a file or as what is in one.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "module/boot-file.h"
#include "guest/boot-symbols.h"
#include "edits.h"
#include "fuzz.h"
#include "tests/unit/module/boot-file-kit.h"

/* What the first byte of an input says. */
enum { PLAIN, NATURAL, ANY_PIECE, ANY_FILE, FORMS };

static volatile uint64_t touched; /* so that nothing that is read is left out */

static uint64_t sum(const struct xen_range *range)
{
    uint64_t all = 0;

    for ( size_t i = 0; i < range->size; i++ )
        all += range->bytes[i];
    return all;
}

static void look(const struct xen_image *image)
{
    FUZZ_CHECK(image->symbol_count);
    FUZZ_CHECK(image->build_id_size <= XEN_IMAGE_BUILD_ID_MAX);
    touched += sum(&image->text) + sum(&image->rodata);
    for ( size_t i = 0; i < image->symbol_count; i++ )
    {
        const struct xen_symbol *symbol = &image->symbols[i];
        size_t left;

        FUZZ_CHECK(!i || symbol[-1].address <= symbol->address);
        touched += strlen(symbol->name);
        if ( xen_image_code(image, symbol->address, &left) )
            FUZZ_CHECK(left && left <= image->text.size);
    }
}

static void open_file(const void *bytes, size_t size)
{
    static int file = -1;
    static char path[32];
    struct xen_image image;

    if ( file < 0 )
        file = memfd_create("hypervisor", MFD_CLOEXEC);
    snprintf(path, sizeof(path), "/proc/self/fd/%d", file);
    FUZZ_CHECK(file >= 0 && !ftruncate(file, 0));
    FUZZ_CHECK(pwrite(file, bytes, size, 0) == (ssize_t)size);
    if ( boot_file_open(&image, path) )
        return;
    look(&image);
    xen_image_close(&image);
}

/* In memory of just that size, so that what is read beyond is noticed. */
static void read_symbols(const void *bytes, size_t size)
{
    uint8_t *copy = malloc(size);
    struct buffer text = {0};

    FUZZ_CHECK(copy || !size);
    memcpy(copy, bytes, size);
    if ( !boot_symbols_read(copy, size, &text) )
        FUZZ_CHECK(text.used && text.bytes[text.used - 1] == '\n');
    buffer_free(&text);
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static uint8_t bytes[BOOT_HEADS + BOOT_PIECE];
    unsigned int form = size ? data[0] % FORMS : ANY_FILE;

    if ( form == ANY_PIECE )
        read_symbols(data + 1, size - 1);
    else if ( form == ANY_FILE )
        open_file(data + (size > 0), size - (size > 0));
    else
    {
        boot_piece_make(form == NATURAL);
        boot_heads_make(bytes);
        memcpy(bytes + BOOT_HEADS, boot_piece, BOOT_PIECE);
        edits_apply(data, size, bytes, sizeof(bytes));
        read_symbols(bytes + BOOT_HEADS, boot_used);
        open_file(bytes, sizeof(bytes));
    }
    return 0;
}

/* Edits; and pieces that end with their table, so short that each byte is
 * likely to be changed. */
size_t fuzz_seed(unsigned int number, uint8_t *bytes)
{
    if ( number < ANY_PIECE )
        return edits_seed(number, bytes);
    if ( number >= FORMS )
        return 0;
    boot_piece_make(true);
    bytes[0] = (uint8_t)number;
    if ( number == ANY_FILE )
    {
        boot_heads_make(bytes + 1);
        memcpy(bytes + 1 + BOOT_HEADS, boot_piece, BOOT_PIECE);
        return 1 + BOOT_HEADS + BOOT_PIECE;
    }
    memcpy(bytes + 1, boot_piece + BOOT_TABLE, boot_used - BOOT_TABLE);
    return 1 + boot_used - BOOT_TABLE;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a boot file has, and what a damaged one has not. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "boot-file-kit.h"
#include "module/boot-file.h"
#include "tests/harness.h"

#define PATH "test-boot-file.made"

/* Writes the piece as a file. */
static void make_file(const char *mode)
{
    uint8_t heads[BOOT_HEADS];
    gzFile file = gzopen(PATH, mode);

    boot_heads_make(heads);
    CHECK(file);
    CHECK_EQ(gzwrite(file, heads, sizeof(heads)), sizeof(heads));
    CHECK_EQ(gzwrite(file, boot_piece, BOOT_PIECE), BOOT_PIECE);
    CHECK_EQ(gzclose(file), Z_OK);
}

static void check_file(void)
{
    struct xen_image image;
    const struct xen_symbol *symbol;
    size_t left;

    CHECK_EQ(boot_file_open(&image, PATH), 0);
    CHECK_EQ(image.symbol_count, BOOT_FUNCTIONS + 6);
    symbol = xen_image_find(&image, "common/file.c#function_599");
    CHECK(symbol);
    CHECK_EQ(symbol->address, 0xffff82d040200000 + 2 * 599);
    CHECK_EQ(symbol->type, 't');
    CHECK_EQ(xen_image_find(&image, "_etext")->type, 'T');
    CHECK_EQ(image.text.address, 0xffff82d040200000);
    CHECK_EQ(image.text.size, 0x800);
    CHECK(!memcmp(image.text.bytes, boot_piece, 0x800));
    CHECK_EQ(xen_image_code(&image, symbol->address, &left)[0], 0xcc);
    CHECK_EQ(image.rodata.address, 0xffff82d040200000 + BOOT_RODATA);
    CHECK_EQ(image.rodata.size, BOOT_PIECE - BOOT_RODATA);
    CHECK(!memcmp(image.rodata.bytes, boot_piece + BOOT_RODATA,
                  BOOT_PIECE - BOOT_RODATA));
    CHECK_EQ(image.build_id_size, 20);
    CHECK_EQ(image.build_id[19], 0xa0 + 19);
    xen_image_close(&image);
    CHECK(!unlink(PATH));
}

TEST(boot_file_as_it_is_installed)
{
    boot_piece_make(false);
    make_file("wb9");
    check_file();
    make_file("wbT");
    check_file();
}

/* As in later versions. */
TEST(boot_file_with_other_gaps)
{
    boot_piece_make(true);
    make_file("wb1");
    check_file();
}

static int open_it(void)
{
    struct xen_image image;
    int result = boot_file_open(&image, PATH);

    if ( !result )
        xen_image_close(&image);
    return result;
}

TEST(files_that_are_none)
{
    struct xen_image image;

    CHECK_EQ(boot_file_open(&image, "/nonexistent"), -ENOENT);
    CHECK_EQ(boot_file_open(&image, "/dev/null"), -ENOEXEC);
    CHECK_EQ(boot_file_open(&image, "/proc/self/exe"), -ENOEXEC);
    boot_piece_make(false);
    memset(boot_piece + BOOT_NOTE, 0, BOOT_PIECE - BOOT_NOTE);
    make_file("wb1");
    CHECK_EQ(open_it(), -ENODATA);
    boot_piece_make(false);
    make_file("wb1");
    CHECK(!truncate(PATH, 1000));
    CHECK(open_it() < 0);
    CHECK(!unlink(PATH));
}

/* Too short for what it begins with. */
TEST(boot_file_with_a_note_cut_short)
{
    struct xen_image image;

    for ( unsigned int size = 0; size < BOOT_NOTE_SIZE; size++ )
    {
        boot_note_size = size;
        boot_piece_make(false);
        make_file("wbT");
        CHECK_EQ(boot_file_open(&image, PATH), 0);
        CHECK_EQ(image.build_id_size, 0);
        xen_image_close(&image);
    }
    boot_note_size = BOOT_NOTE_SIZE;
    CHECK(!unlink(PATH));
}

/* Whatever the table says, nothing outside the file is read. */
TEST(boot_file_with_wrong_bytes)
{
    unsigned int seed = 1, wrong = 0;

    for ( unsigned int i = 0; i < 300; i++ )
    {
        boot_piece_make(false);
        for ( unsigned int k = 0; k < 1 + i % 3; k++ )
            boot_piece[BOOT_TABLE +
                       (unsigned int)rand_r(&seed) % (boot_used - BOOT_TABLE)] =
                (uint8_t)rand_r(&seed);
        make_file("wbT");
        wrong += open_it() != 0;
    }
    CHECK(wrong > 30);
    CHECK(!unlink(PATH));
}

/* Tables that end with the file, wherever it ends. */
TEST(boot_file_cut_short)
{
    boot_piece_make(true);
    memmove(boot_piece + (BOOT_PIECE - boot_used), boot_piece, boot_used);
    make_file("wbT");
    open_it();
    CHECK(!unlink(PATH));
}

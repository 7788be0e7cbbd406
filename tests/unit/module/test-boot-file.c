/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A boot file of our making: a little code, constants with a build-id, and the
 * table of symbols packed as Xen's build packs it. */
#include <elf.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "module/boot-file.h"
#include "tests/harness.h"

#define PATH      "test-boot-file.made"
#define PIECE     0x8000u
#define ORIGIN    0x200000u /* offset of _stext, as in Xen */
#define RODATA    0x1000u
#define NOTE      0x1010u
#define FUNCTIONS 600u
#define COMMON    "common/file.c#function_"

static uint8_t piece[PIECE];
static size_t used; /* of the piece */
static bool
    natural; /* parts are aligned as their type needs, and ends are in */

static size_t offsets[FUNCTIONS + 16];
static char names[FUNCTIONS + 16][64];
static unsigned int count;

static void put(const void *bytes, size_t size)
{
    CHECK(used + size <= PIECE);
    memcpy(piece + used, bytes, size);
    used += size;
}

static void put32(size_t value)
{
    uint32_t word = (uint32_t)value;

    put(&word, sizeof(word));
}

static void put8(unsigned int value)
{
    uint8_t byte = (uint8_t)value;

    put(&byte, 1);
}

static void align(size_t to)
{
    while ( used % to )
        put8(0);
}

static void add(size_t at, const char *format, unsigned int number)
{
    offsets[count] = ORIGIN + at;
    snprintf(names[count++], sizeof(*names), format, number);
}

/* By address, as in Xen. */
static void list_symbols(void)
{
    count = 0;
    add(0, "T_stext", 0);
    for ( unsigned int i = 0; i < FUNCTIONS; i++ )
        add(2 * i, "t" COMMON "%u", i);
    if ( natural )
        add(2 * FUNCTIONS, "", 0);
    add(0x800, "T_etext", 0);
    add(RODATA, "R_srodata", 0);
    add(NOTE, "R__note_gnu_build_id_start", 0);
    add(NOTE + 36, "R__note_gnu_build_id_end", 0);
    add(PIECE, "R_erodata", 0);
}

/* Token 1 is what most names have; a letter's token is the letter. */
static const char *token(unsigned int number, char text[8])
{
    if ( number == 1 )
        return COMMON;
    snprintf(text, 8, number > ' ' && number < 127 ? "%c" : "?%u", number);
    return text;
}

static void put_name(const char *name)
{
    size_t length = strlen(name);
    bool common = length && !strncmp(name + 1, COMMON, strlen(COMMON));

    if ( !common )
    {
        put8((unsigned int)length);
        put(name, length);
        return;
    }
    put8((unsigned int)(length - strlen(COMMON) + 1));
    put(name, 1);
    put8(1);
    put(name + 1 + strlen(COMMON), length - 1 - strlen(COMMON));
}

static void put_table(void)
{
    size_t begin, markers[8], tokens, index[256];
    char text[8];

    align(4);
    for ( unsigned int i = 0; i < count; i++ )
        put32(offsets[i]);
    put32(count);
    begin = used;
    for ( unsigned int i = 0; i < count; i++ )
    {
        if ( i % 256 == 0 )
            markers[i / 256] = used - begin;
        put_name(names[i]);
    }
    align(4);
    for ( unsigned int i = 0; i < (count + 255) / 256; i++ )
        put32(markers[i]);
    tokens = used;
    for ( unsigned int i = 0; i < 256; i++ )
    {
        const char *now = token(i, text);

        index[i] = used - tokens;
        put(now, strlen(now) + 1);
    }
    align(natural ? 2 : 4);
    for ( unsigned int i = 0; i < 256; i++ )
    {
        put8(index[i] & 0xff);
        put8((unsigned int)index[i] >> 8);
    }
}

static void put_note(void)
{
    static const uint32_t head[] = {4, 20, NT_GNU_BUILD_ID};

    used = NOTE;
    put(head, sizeof(head));
    put("GNU", 4);
    for ( unsigned int i = 0; i < 20; i++ )
        put8(0xa0 + i);
}

static void make_piece(void)
{
    memset(piece, 0xcc, sizeof(piece));
    list_symbols();
    put_note();
    used = RODATA + 0x1000;
    put_table();
}

/* Writes the piece behind the heads of an ELF file, as Xen's build does. */
static void make_file(const char *mode)
{
    Elf32_Ehdr head = {.e_ident = ELFMAG,
                       .e_machine = EM_386,
                       .e_phoff = sizeof(head),
                       .e_phnum = 1};
    Elf32_Phdr load = {.p_type = PT_LOAD, .p_offset = 0x100, .p_filesz = PIECE};
    uint8_t space[0x100] = {0};
    gzFile file = gzopen(PATH, mode);

    head.e_ident[EI_CLASS] = ELFCLASS32;
    memcpy(space, &head, sizeof(head));
    memcpy(space + sizeof(head), &load, sizeof(load));
    CHECK(file);
    CHECK_EQ(gzwrite(file, space, sizeof(space)), sizeof(space));
    CHECK_EQ(gzwrite(file, piece, PIECE), PIECE);
    CHECK_EQ(gzclose(file), Z_OK);
}

static void check_file(void)
{
    struct xen_image image;
    const struct xen_symbol *symbol;
    size_t left;

    CHECK_EQ(boot_file_open(&image, PATH), 0);
    CHECK_EQ(image.symbol_count, FUNCTIONS + 6);
    symbol = xen_image_find(&image, "common/file.c#function_599");
    CHECK(symbol);
    CHECK_EQ(symbol->address, 0xffff82d040200000 + 2 * 599);
    CHECK_EQ(symbol->type, 't');
    CHECK_EQ(xen_image_find(&image, "_etext")->type, 'T');
    CHECK_EQ(image.text.address, 0xffff82d040200000);
    CHECK_EQ(image.text.size, 0x800);
    CHECK(!memcmp(image.text.bytes, piece, 0x800));
    CHECK_EQ(xen_image_code(&image, symbol->address, &left)[0], 0xcc);
    CHECK_EQ(image.rodata.address, 0xffff82d040200000 + RODATA);
    CHECK_EQ(image.rodata.size, PIECE - RODATA);
    CHECK(!memcmp(image.rodata.bytes, piece + RODATA, PIECE - RODATA));
    CHECK_EQ(image.build_id_size, 20);
    CHECK_EQ(image.build_id[19], 0xa0 + 19);
    xen_image_close(&image);
    CHECK(!unlink(PATH));
}

TEST(boot_file_as_it_is_installed)
{
    natural = false;
    make_piece();
    make_file("wb9");
    check_file();
    make_file("wbT");
    check_file();
}

/* As in later versions. */
TEST(boot_file_with_other_gaps)
{
    natural = true;
    make_piece();
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
    natural = false;
    make_piece();
    memset(piece + NOTE, 0, PIECE - NOTE);
    make_file("wb1");
    CHECK_EQ(open_it(), -ENODATA);
    make_piece();
    make_file("wb1");
    CHECK(!truncate(PATH, 1000));
    CHECK(open_it() < 0);
    CHECK(!unlink(PATH));
}

/* Whatever the table says, nothing outside the file is read. */
TEST(boot_file_with_wrong_bytes)
{
    unsigned int seed = 1, wrong = 0;

    natural = false;
    for ( unsigned int i = 0; i < 300; i++ )
    {
        make_piece();
        for ( unsigned int k = 0; k < 1 + i % 3; k++ )
            piece[RODATA + 0x1000 +
                  (unsigned int)rand_r(&seed) % (used - RODATA - 0x1000)] =
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
    natural = true;
    make_piece();
    memmove(piece + (PIECE - used), piece, used);
    make_file("wbT");
    open_it();
    CHECK(!unlink(PATH));
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "boot-file-kit.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ORIGIN 0x200000u /* offset of _stext, as in Xen */
#define COMMON "common/file.c#function_"

uint8_t boot_piece[BOOT_PIECE];
size_t boot_used;
unsigned int boot_note_size = BOOT_NOTE_SIZE;
static bool is_natural;

static size_t offsets[BOOT_FUNCTIONS + 16];
static char names[BOOT_FUNCTIONS + 16][64];
static unsigned int count;

static void put(const void *bytes, size_t size)
{
    if ( boot_used + size > BOOT_PIECE )
        abort();
    memcpy(boot_piece + boot_used, bytes, size);
    boot_used += size;
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
    while ( boot_used % to )
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
    for ( unsigned int i = 0; i < BOOT_FUNCTIONS; i++ )
        add(2 * i, "t" COMMON "%u", i);
    if ( is_natural )
        add(2 * BOOT_FUNCTIONS, "", 0);
    add(0x800, "T_etext", 0);
    add(BOOT_RODATA, "R_srodata", 0);
    add(BOOT_NOTE, "R__note_gnu_build_id_start", 0);
    add(BOOT_NOTE + boot_note_size, "R__note_gnu_build_id_end", 0);
    add(BOOT_PIECE, "R_erodata", 0);
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
    begin = boot_used;
    for ( unsigned int i = 0; i < count; i++ )
    {
        if ( i % 256 == 0 )
            markers[i / 256] = boot_used - begin;
        put_name(names[i]);
    }
    align(4);
    for ( unsigned int i = 0; i < (count + 255) / 256; i++ )
        put32(markers[i]);
    tokens = boot_used;
    for ( unsigned int i = 0; i < 256; i++ )
    {
        const char *now = token(i, text);

        index[i] = boot_used - tokens;
        put(now, strlen(now) + 1);
    }
    align(is_natural ? 2 : 4);
    for ( unsigned int i = 0; i < 256; i++ )
    {
        put8(index[i] & 0xff);
        put8((unsigned int)index[i] >> 8);
    }
}

static void put_note(void)
{
    static const uint32_t head[] = {4, 20, NT_GNU_BUILD_ID};

    boot_used = BOOT_NOTE;
    put(head, sizeof(head));
    put("GNU", 4);
    for ( unsigned int i = 0; i < 20; i++ )
        put8(0xa0 + i);
}

void boot_piece_make(bool natural)
{
    is_natural = natural;
    memset(boot_piece, 0xcc, sizeof(boot_piece));
    list_symbols();
    put_note();
    boot_used = BOOT_TABLE;
    put_table();
}

void boot_heads_make(uint8_t heads[BOOT_HEADS])
{
    Elf32_Ehdr head = {.e_ident = ELFMAG,
                       .e_machine = EM_386,
                       .e_phoff = sizeof(head),
                       .e_phnum = 1};
    Elf32_Phdr load = {
        .p_type = PT_LOAD, .p_offset = BOOT_HEADS, .p_filesz = BOOT_PIECE};

    head.e_ident[EI_CLASS] = ELFCLASS32;
    memset(heads, 0, BOOT_HEADS);
    memcpy(heads, &head, sizeof(head));
    memcpy(heads + sizeof(head), &load, sizeof(load));
}

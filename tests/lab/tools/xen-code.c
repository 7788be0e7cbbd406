/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xenhypfs.h>

#include "xen-code.h"

#define TRIES    16
#define PAGE     4096u
#define FILE_MAX (2u << 20)

struct xen_code {
    const uint8_t *bytes;
    uint64_t start, size;
};

static struct xen_code xen, module;
static uint64_t entry_start, entry_end;

void xen_code_fail(const char *what)
{
    fprintf(stderr, "check-chains: %s\n", what);
    exit(1);
}

static uint64_t symbol(const char *name)
{
    FILE *file = fopen("/proc/xen/xensyms", "r");
    char found[128];
    unsigned long address;
    uint64_t ret = 0;

    if ( !file )
        xen_code_fail("there is no /proc/xen/xensyms");
    while ( !ret && fscanf(file, "%lx %*c %127s", &address, found) == 2 )
        if ( strcmp(found, name) == 0 )
            ret = address;
    fclose(file);
    return ret;
}

/* hypfs may answer for another node, which has another size. */
static void read_xen(void)
{
    xenhypfs_handle *hypfs = xenhypfs_open(NULL, 0);

    xen.start = symbol("_stext");
    xen.size = symbol("_etext") - xen.start;
    entry_start = symbol("_stextentry");
    entry_end = symbol("_etextentry");
    if ( !hypfs || !xen.start )
        xen_code_fail("there is no hypfs, or Xen has no _stext");
    for ( int i = 0; i < TRIES && !xen.bytes; i++ )
    {
        struct xenhypfs_dirent *entry = NULL;
        void *bytes = xenhypfs_read_raw(hypfs, "/xenoprof-probe/text", &entry);

        if ( bytes && entry->size == xen.size )
            xen.bytes = bytes;
        free(entry);
    }
    if ( !xen.bytes )
        xen_code_fail("hypfs does not show Xen's code; is show-code loaded?");
}

/* The only executable section. */
static void read_module(const char *path)
{
    FILE *file = fopen(path, "r");
    uint8_t *bytes = malloc(FILE_MAX);
    size_t size = file && bytes ? fread(bytes, 1, FILE_MAX, file) : 0;
    const Elf64_Ehdr *head = (const void *)bytes;
    const Elf64_Shdr *sections;

    if ( size < sizeof(*head) || head->e_shoff > size ||
         head->e_shnum * sizeof(*sections) > size - head->e_shoff )
        xen_code_fail("the module cannot be read");
    fclose(file);
    sections = (const void *)(bytes + head->e_shoff);
    for ( int i = 0; i < head->e_shnum; i++ )
        if ( sections[i].sh_flags & SHF_EXECINSTR &&
             sections[i].sh_offset + sections[i].sh_size <= size )
            module = (struct xen_code){.bytes = bytes + sections[i].sh_offset,
                                       .size = sections[i].sh_size};
    if ( !module.size )
        xen_code_fail("the module has no code");
}

void xen_code_open(const char *path)
{
    read_xen();
    if ( *path )
        read_module(path);
}

bool xen_code_has(uint64_t address)
{
    return address - xen.start < xen.size;
}

bool xen_code_is_entry(uint64_t address)
{
    return address >= entry_start && address < entry_end;
}

/* Returns the length of a `call *...` whose ModRM byte this is, with its
 * opcode, or 0 if it is not one. */
static unsigned int indirect_length(const uint8_t *modrm)
{
    unsigned int mode = *modrm >> 6, base = *modrm & 7;
    unsigned int length = 2;

    if ( (*modrm >> 3 & 7) != 2 )
        return 0;
    if ( mode == 3 )
        return length;
    if ( base == 4 )
    {
        length++;
        base = modrm[1] & 7;
    }
    if ( mode == 1 )
        return length + 1;
    return mode == 2 || base == 5 ? length + 4 : length;
}

static bool after_indirect(const struct xen_code *code, uint64_t offset)
{
    for ( unsigned int length = 2; length <= 7; length++ )
    {
        const uint8_t *at = code->bytes + offset - length;

        if ( *at == 0xff && indirect_length(at + 1) == length )
            return true;
    }
    return false;
}

bool xen_code_after_call(uint64_t address, uint64_t *to)
{
    uint64_t offset = address - xen.start;
    int32_t distance;

    *to = 0;
    if ( offset < 8 || offset > xen.size )
        return false;
    if ( xen.bytes[offset - 5] != 0xe8 )
        return after_indirect(&xen, offset);
    memcpy(&distance, xen.bytes + offset - 4, sizeof(distance));
    *to = address + distance;
    return true;
}

static bool fits_at(uint64_t start, const uint64_t *addresses, size_t count)
{
    for ( size_t i = 0; i < count; i++ )
    {
        uint64_t offset = addresses[i] - start;

        if ( offset < 8 || offset > module.size ||
             (module.bytes[offset - 5] != 0xe8 &&
              !after_indirect(&module, offset)) )
            return false;
    }
    return true;
}

/* Xen puts it at the beginning of a page. */
bool xen_code_fits_module(const uint64_t *addresses, size_t count)
{
    uint64_t start = count ? addresses[0] & ~(uint64_t)(PAGE - 1) : 0;

    for ( uint64_t back = 0; count && back <= module.size; back += PAGE )
        if ( fits_at(start - back, addresses, count) )
            return true;
    return !count;
}

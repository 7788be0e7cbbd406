/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds code and call frame information in ELF files. */
#include "elf-rows.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "cfi-rows.h"
#include "elf-strings.h"

/* Entry code without call frame information (ld.so's, and programs' in
 * assembly) calls nothing further away. */
#define ENTRY_BYTES 64u

struct elf_code {
    struct row_segment segment[ROW_SEGMENTS_MAX];
    size_t segments;
};

static int compare_segments(const void *left, const void *right)
{
    const struct row_segment *a = left, *b = right;

    return a->address < b->address ? -1 : a->address > b->address;
}

static enum elf_rows_status find_elf_code(Elf *elf, struct elf_code *code)
{
    size_t count;

    if ( elf_getphdrnum(elf, &count) )
        return ELF_ROWS_NOT_ELF;
    code->segments = 0;
    for ( size_t i = 0; i < count; i++ )
    {
        GElf_Phdr header;

        if ( !gelf_getphdr(elf, (int)i, &header) )
            return ELF_ROWS_NOT_ELF;
        if ( header.p_type != PT_LOAD || !(header.p_flags & PF_X) ||
             !header.p_filesz )
            continue;
        if ( code->segments == ROW_SEGMENTS_MAX )
            return ELF_ROWS_NO_CODE;
        code->segment[code->segments++] = (struct row_segment){
            header.p_offset, header.p_vaddr, header.p_filesz};
    }
    qsort(code->segment, code->segments, sizeof(code->segment[0]),
          compare_segments);
    return code->segments ? ELF_ROWS_MADE : ELF_ROWS_NO_CODE;
}

static enum elf_rows_status check_header(Elf *elf, GElf_Ehdr *header)
{
    if ( elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, header) )
        return ELF_ROWS_NOT_ELF;
    if ( header->e_machine != EM_X86_64 ||
         header->e_ident[EI_CLASS] != ELFCLASS64 ||
         header->e_ident[EI_DATA] != ELFDATA2LSB )
        return ELF_ROWS_NOT_64;
    return header->e_type == ET_REL ? ELF_ROWS_NOT_MAPPED : ELF_ROWS_MADE;
}

/* Returns whether the section is there to be read, and its bytes if so. */
static bool read_section(Elf_Scn *section, GElf_Shdr *header,
                         struct cfi_section *ret)
{
    GElf_Chdr compressed;
    Elf_Data *data;

    if ( header->sh_type == SHT_NOBITS ||
         header->sh_size > ELF_ROWS_SECTION_MAX )
        return false;
    if ( header->sh_flags & SHF_COMPRESSED &&
         (!gelf_getchdr(section, &compressed) ||
          compressed.ch_size > ELF_ROWS_SECTION_MAX ||
          elf_compress(section, 0, 0) < 0) )
        return false;
    data = header->sh_flags & SHF_COMPRESSED ? elf_getdata(section, NULL)
                                             : elf_rawdata(section, NULL);
    if ( !data || !data->d_buf )
        return false;
    ret->bytes = data->d_buf;
    ret->size = data->d_size;
    ret->address = header->sh_addr;
    return true;
}

/* Adds what the first section of this name says.  Linkers leave one; many could
 * be the same bytes, again and again. */
static size_t add_section(Elf *elf, const char *name,
                          struct row_builder *builder)
{
    struct cfi_section section = {.debug = !strcmp(name, ".debug_frame")};
    Elf_Scn *at = NULL;
    size_t names;

    if ( elf_getshdrstrndx(elf, &names) ||
         !elf_strings_fit(elf, names, ELF_SECTION_NAMES_MAX) )
        return 0;
    while ( (at = elf_nextscn(elf, at)) )
    {
        GElf_Shdr header;
        const char *found;

        if ( !gelf_getshdr(at, &header) )
            break;
        found = elf_strptr(elf, names, header.sh_name);
        if ( found && !strcmp(found, name) )
            return read_section(at, &header, &section)
                       ? cfi_rows(&section, builder)
                       : 0;
    }
    return 0;
}

static enum elf_rows_status make_elf_rows(Elf *elf, uint64_t entry,
                                          struct row_builder *builder,
                                          struct row_table **ret, size_t *bad)
{
    size_t passed_over = add_section(elf, ".eh_frame", builder) +
                         add_section(elf, ".debug_frame", builder);

    if ( bad )
        *bad = passed_over;
    if ( entry && entry <= UINT64_MAX - ENTRY_BYTES )
        row_builder_root(builder, entry, entry + ENTRY_BYTES);
    *ret = row_builder_make(builder);
    if ( *ret )
        return ELF_ROWS_MADE;
    return builder->too_many ? ELF_ROWS_TOO_LARGE : ELF_ROWS_NO_MEMORY;
}

static enum elf_rows_status read_elf_rows(Elf *elf, struct row_table **ret,
                                          size_t *bad)
{
    enum elf_rows_status status;
    struct row_builder builder;
    struct elf_code code;
    GElf_Ehdr header;

    status = check_header(elf, &header);
    if ( status == ELF_ROWS_MADE )
        status = find_elf_code(elf, &code);
    if ( status != ELF_ROWS_MADE )
        return status;
    if ( row_builder_init(&builder, code.segment, code.segments) )
        status = make_elf_rows(elf, header.e_entry, &builder, ret, bad);
    else
        status = builder.no_memory ? ELF_ROWS_NO_MEMORY : ELF_ROWS_NO_CODE;
    row_builder_free(&builder);
    return status;
}

static enum elf_rows_status read_and_end(Elf *elf, struct row_table **ret,
                                         size_t *bad)
{
    enum elf_rows_status status = ELF_ROWS_NOT_ELF;

    if ( elf )
        status = read_elf_rows(elf, ret, bad);
    elf_end(elf);
    return status;
}

enum elf_rows_status elf_rows(int fd, struct row_table **ret, size_t *bad)
{
    elf_version(EV_CURRENT);
    return read_and_end(elf_begin(fd, ELF_C_READ, NULL), ret, bad);
}

enum elf_rows_status elf_rows_of(const void *bytes, size_t size,
                                 struct row_table **ret, size_t *bad)
{
    char *copy = malloc(size ? size : 1);
    enum elf_rows_status status = ELF_ROWS_NO_MEMORY;

    elf_version(EV_CURRENT);
    if ( copy )
    {
        memcpy(copy, bytes, size);
        status = read_and_end(elf_memory(copy, size), ret, bad);
    }
    free(copy);
    return status;
}

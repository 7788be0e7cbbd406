/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads a xen-syms file: text, constants, symbols and build-id. */
#include "xen-image.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "elf-file.h"

/* Returns a section's bytes and address; empty if it is missing or has none. */
static struct xen_range section_range(Elf_Scn *section)
{
    struct xen_range range = {0};
    GElf_Shdr header;
    Elf_Data *data;

    if ( !section || !gelf_getshdr(section, &header) ||
         header.sh_type == SHT_NOBITS )
        return range;
    data = elf_rawdata(section, NULL);
    if ( data && data->d_buf )
        range = (struct xen_range){.address = header.sh_addr,
                                   .bytes = data->d_buf,
                                   .size = data->d_size};

    return range;
}

static int copy_contents(struct xen_image *image, Elf *elf)
{
    struct xen_range text = section_range(elf_section_named(elf, ".text"));
    struct xen_range rodata = section_range(elf_section_named(elf, ".rodata"));

    if ( !text.size )
        return -ENOEXEC;
    image->contents = malloc(text.size + rodata.size);
    if ( !image->contents )
        return -ENOMEM;

    memcpy(image->contents, text.bytes, text.size);
    text.bytes = image->contents;
    if ( rodata.size )
        memcpy(image->contents + text.size, rodata.bytes, rodata.size);
    rodata.bytes = image->contents + text.size;
    image->text = text;
    image->rodata = rodata;

    return 0;
}

static void copy_build_id(struct xen_image *image, Elf *elf)
{
    Elf_Scn *section = elf_section_named(elf, ".note.gnu.build-id");
    Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
    size_t name, contents;
    GElf_Nhdr note;

    if ( !data || !gelf_getnote(data, 0, &note, &name, &contents) ||
         note.n_type != NT_GNU_BUILD_ID ||
         note.n_descsz > XEN_IMAGE_BUILD_ID_MAX )
        return;
    memcpy(image->build_id, (const char *)data->d_buf + contents,
           note.n_descsz);
    image->build_id_size = note.n_descsz;
}

/* Returns nm(1)'s letter, as far as the hypervisor's own table has them. */
static char symbol_type(Elf *elf, const GElf_Sym *symbol)
{
    GElf_Shdr header = {0};
    Elf_Scn *section = elf_getscn(elf, symbol->st_shndx);
    char type = 'd';

    if ( section && gelf_getshdr(section, &header) )
        type = header.sh_flags & SHF_EXECINSTR && header.sh_type != SHT_NOBITS
                   ? 't'
               : header.sh_type == SHT_NOBITS ? 'b'
                                              : 'd';
    if ( GELF_ST_BIND(symbol->st_info) != STB_LOCAL )
        type -= 'a' - 'A';

    return type;
}

static bool is_wanted(const GElf_Sym *symbol, const char *name)
{
    int type = GELF_ST_TYPE(symbol->st_info);

    return *name && *name != '.' && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_shndx < SHN_LORESERVE &&
           (type == STT_NOTYPE || type == STT_FUNC || type == STT_OBJECT);
}

/* Called twice: without names, to count the bytes that all names need, then to
 * write names and symbols.  A static's file is the FILE symbol before it. */
static size_t walk_elf_symbols(const struct elf_symbol_table *table,
                               struct xen_image *image, char *names)
{
    const char *file = "";
    size_t used = 0;

    for ( size_t i = 0; i < table->count; i++ )
    {
        GElf_Sym symbol;
        const char *name = elf_symbol(table, i, &symbol);
        bool local;

        if ( name && GELF_ST_TYPE(symbol.st_info) == STT_FILE )
            file = name;
        if ( !name || !is_wanted(&symbol, name) )
            continue;

        local = GELF_ST_BIND(symbol.st_info) == STB_LOCAL && *file;
        if ( names )
        {
            stpcpy(stpcpy(stpcpy(names + used, local ? file : ""),
                          local ? "#" : ""),
                   name);
            image->symbols[image->symbol_count++] = (struct xen_symbol){
                .address = symbol.st_value,
                .name = names + used,
                .type = symbol_type(table->elf, &symbol),
            };
        }
        used += (local ? strlen(file) + 1 : 0) + strlen(name) + 1;
    }

    return used;
}

static int copy_elf_symbols(struct xen_image *image, Elf *elf)
{
    struct elf_symbol_table table;
    int result;

    if ( !elf_symbols_find(&table, elf) )
        return -ENOEXEC;
    image->symbols = calloc(table.count + 1, sizeof(*image->symbols));
    image->names = malloc(walk_elf_symbols(&table, image, NULL) + 1);
    if ( !image->symbols || !image->names )
        return -ENOMEM;
    walk_elf_symbols(&table, image, image->names);
    result = xen_image_index(image);

    return result == -EINVAL ? -ENOEXEC : result;
}

int xen_image_open_elf(struct xen_image *image, const char *path)
{
    struct elf_file file;
    int result;

    memset(image, 0, sizeof(*image));
    result = elf_file_open(&file, path);
    if ( !result )
        result = copy_contents(image, file.elf);
    if ( !result )
    {
        copy_build_id(image, file.elf);
        result = copy_elf_symbols(image, file.elf);
    }
    elf_file_close(&file);
    if ( result )
        xen_image_close(image);

    return result;
}

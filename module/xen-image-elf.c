/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "xen-image.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct elf_file {
    int fd;
    Elf *elf;
    Elf_Scn *text;
    Elf_Scn *rodata;
    Elf_Scn *symtab;
    Elf_Scn *build_id;
};

static void elf_file_close(struct elf_file *file)
{
    elf_end(file->elf);
    if ( file->fd >= 0 )
        close(file->fd);
}

static int elf_file_open(struct elf_file *file, const char *path)
{
    GElf_Ehdr header;

    *file = (struct elf_file){.fd = open(path, O_RDONLY | O_CLOEXEC)};
    if ( file->fd < 0 )
        return -errno;
    if ( elf_version(EV_CURRENT) == EV_NONE )
        return -ENOEXEC;
    file->elf = elf_begin(file->fd, ELF_C_READ_MMAP, NULL);
    if ( !file->elf || !gelf_getehdr(file->elf, &header) ||
         gelf_getclass(file->elf) != ELFCLASS64 ||
         header.e_machine != EM_X86_64 )
        return -ENOEXEC;

    return 0;
}

static int find_sections(struct elf_file *file)
{
    const struct {
        const char *name;
        Elf_Scn **slot;
    } wanted[] = {
        {".text", &file->text},
        {".rodata", &file->rodata},
        {".symtab", &file->symtab},
        {".note.gnu.build-id", &file->build_id},
    };
    Elf_Scn *section = NULL;
    size_t strings;

    if ( elf_getshdrstrndx(file->elf, &strings) )
        return -ENOEXEC;
    while ( (section = elf_nextscn(file->elf, section)) )
    {
        GElf_Shdr header;
        const char *name = gelf_getshdr(section, &header)
                               ? elf_strptr(file->elf, strings, header.sh_name)
                               : NULL;

        for ( size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++ )
            if ( name && !strcmp(name, wanted[i].name) )
                *wanted[i].slot = section;
    }

    return file->text && file->symtab ? 0 : -ENOEXEC;
}

/* Bytes and address of a section; empty if it is missing or has no bytes. */
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

static int copy_contents(struct xen_image *image, const struct elf_file *file)
{
    struct xen_range text = section_range(file->text);
    struct xen_range rodata = section_range(file->rodata);

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

static void copy_build_id(struct xen_image *image, const struct elf_file *file)
{
    Elf_Data *data = file->build_id ? elf_getdata(file->build_id, NULL) : NULL;
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

/* Letter of nm(1), as far as the hypervisor's own table goes. */
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

    return name && *name && *name != '.' && symbol->st_shndx != SHN_UNDEF &&
           symbol->st_shndx < SHN_LORESERVE &&
           (type == STT_NOTYPE || type == STT_FUNC || type == STT_OBJECT);
}

struct symbol_table {
    Elf *elf;
    Elf_Data *data;
    GElf_Shdr header;
    size_t count;
};

static int open_symbol_table(const struct elf_file *file,
                             struct symbol_table *table)
{
    table->elf = file->elf;
    table->data = elf_getdata(file->symtab, NULL);
    if ( !table->data || !gelf_getshdr(file->symtab, &table->header) ||
         !table->header.sh_entsize )
        return -ENOEXEC;
    table->count = table->header.sh_size / table->header.sh_entsize;

    return 0;
}

/*
 * Calls back through image: first pass (names == NULL) counts the bytes that
 * all names need, the second writes names and symbols.  The name of a static's
 * file stands in the FILE symbol before it.
 */
static size_t walk_symbols(const struct symbol_table *table,
                           struct xen_image *image, char *names)
{
    const char *file = "";
    size_t used = 0;

    for ( size_t i = 0; i < table->count; i++ )
    {
        GElf_Sym symbol;
        const char *name;
        bool local;

        if ( !gelf_getsym(table->data, i, &symbol) )
            continue;
        name = elf_strptr(table->elf, table->header.sh_link, symbol.st_name);
        if ( name && GELF_ST_TYPE(symbol.st_info) == STT_FILE )
            file = name;
        if ( !is_wanted(&symbol, name) )
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

static int copy_symbols(struct xen_image *image, const struct elf_file *file)
{
    struct symbol_table table;
    int result = open_symbol_table(file, &table);

    if ( result )
        return result;
    image->symbols = calloc(table.count + 1, sizeof(*image->symbols));
    image->names = malloc(walk_symbols(&table, image, NULL) + 1);
    if ( !image->symbols || !image->names )
        return -ENOMEM;
    walk_symbols(&table, image, image->names);
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
        result = find_sections(&file);
    if ( !result )
        result = copy_contents(image, &file);
    if ( !result )
    {
        copy_build_id(image, &file);
        result = copy_symbols(image, &file);
    }
    elf_file_close(&file);
    if ( result )
        xen_image_close(image);

    return result;
}

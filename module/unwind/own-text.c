/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "own-text.h"

#include <errno.h>
#include <fcntl.h>
#include <gelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What Xen's own is called, and ours where it has none (assemble-symbols.c). */
#define RETURN_THUNK     "__x86_return_thunk"
#define OWN_RETURN_THUNK "xenoprof_return_thunk"

/* So far behind our text lies nothing. */
#define OUTSIDE 0x1000

struct reading {
    struct unwind_object *object;
    const struct hypervisor_image *image;
    Elf *elf;
    int file;
    size_t text; /* section number */
    Elf_Data *code;
    Elf_Data *symbols;
    GElf_Shdr symbols_header;
    size_t symbol_count;
};

static const char *name_of(const struct reading *reading,
                           const GElf_Sym *symbol)
{
    return elf_strptr(reading->elf, reading->symbols_header.sh_link,
                      symbol->st_name);
}

static int find_sections(struct reading *reading)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    size_t strings;

    if ( elf_getshdrstrndx(reading->elf, &strings) )
        return -ENOEXEC;
    while ( (section = elf_nextscn(reading->elf, section)) )
    {
        const char *name = gelf_getshdr(section, &header)
                               ? elf_strptr(reading->elf, strings,
                                            header.sh_name)
                               : NULL;

        /* Rows count from the beginning of the only text. */
        if ( name && header.sh_flags & SHF_EXECINSTR )
        {
            if ( reading->code || strcmp(name, ".text") )
                return -ENOEXEC;
            reading->text = elf_ndxscn(section);
            reading->code = elf_getdata(section, NULL);
        }
        if ( name && header.sh_type == SHT_SYMTAB && header.sh_entsize )
        {
            reading->symbols = elf_getdata(section, NULL);
            reading->symbols_header = header;
            reading->symbol_count = header.sh_size / header.sh_entsize;
        }
    }
    return reading->code && reading->code->d_size && reading->symbols
               ? 0
               : -ENOEXEC;
}

static bool is_function(const struct reading *reading, const GElf_Sym *symbol,
                        const char *name)
{
    int type = GELF_ST_TYPE(symbol->st_info);

    return symbol->st_shndx == reading->text && name && *name &&
           (type == STT_FUNC || type == STT_NOTYPE) &&
           symbol->st_value < reading->code->d_size;
}

static int compare_symbols(const void *a, const void *b)
{
    const struct unwind_symbol *left = a, *right = b;

    if ( left->address != right->address )
        return left->address < right->address ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Two passes: how long all names are, then the names. */
static size_t walk_symbols(const struct reading *reading, char *names)
{
    struct unwind_object *object = reading->object;
    size_t used = 0;

    for ( size_t i = 0; i < reading->symbol_count; i++ )
    {
        GElf_Sym symbol;
        const char *name = gelf_getsym(reading->symbols, i, &symbol)
                               ? name_of(reading, &symbol)
                               : NULL;

        if ( !name || !is_function(reading, &symbol, name) )
            continue;
        if ( names )
        {
            strcpy(names + used, name);
            object->symbols[object->symbol_count++] = (struct unwind_symbol){
                .address = UNWIND_OBJECT_ADDRESS + symbol.st_value,
                .name = names + used,
            };
        }
        used += strlen(name) + 1;
    }
    return used;
}

static int copy_symbols(struct reading *reading)
{
    struct unwind_object *object = reading->object;

    object->symbols = calloc(reading->symbol_count + 1,
                             sizeof(*object->symbols));
    object->names = malloc(walk_symbols(reading, NULL) + 1);
    if ( !object->symbols || !object->names )
        return -ENOMEM;
    walk_symbols(reading, object->names);
    qsort(object->symbols, object->symbol_count, sizeof(*object->symbols),
          compare_symbols);
    return 0;
}

static uint64_t own_address(const struct reading *reading, const char *name)
{
    const struct unwind_object *object = reading->object;

    for ( size_t i = 0; i < object->symbol_count; i++ )
        if ( !strcmp(object->symbols[i].name, name) )
            return object->symbols[i].address;
    return 0;
}

/* 0: data, or nothing that is known. */
static uint64_t address_of(const struct reading *reading, size_t index)
{
    const struct image_symbol *found;
    GElf_Sym symbol;
    const char *name = gelf_getsym(reading->symbols, index, &symbol)
                           ? name_of(reading, &symbol)
                           : NULL;

    if ( !name )
        return 0;
    if ( symbol.st_shndx == reading->text )
        return UNWIND_OBJECT_ADDRESS + symbol.st_value;
    if ( symbol.st_shndx != SHN_UNDEF )
        return 0;
    found = image_find(reading->image, name);
    if ( found )
        return found->address;
    return strcmp(name, RETURN_THUNK) ? 0
                                      : own_address(reading, OWN_RETURN_THUNK);
}

static void relocate(const struct reading *reading, const GElf_Rela *relocation)
{
    struct unwind_object *object = reading->object;
    unsigned int type = GELF_R_TYPE(relocation->r_info);
    uint64_t place = relocation->r_offset, value;
    int32_t distance;

    if ( (type != R_X86_64_PC32 && type != R_X86_64_PLT32) ||
         object->text.size < sizeof(distance) ||
         place > object->text.size - sizeof(distance) )
        return;
    value = address_of(reading, GELF_R_SYM(relocation->r_info));
    /* Not left as it is: that would be the next instruction. */
    if ( !value )
        value = UNWIND_OBJECT_ADDRESS + object->text.size + OUTSIDE;
    value += relocation->r_addend - (UNWIND_OBJECT_ADDRESS + place);
    distance = value;
    memcpy(object->bytes + place, &distance, sizeof(distance));
}

static int relocate_all(struct reading *reading)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Rela relocation;

    while ( (section = elf_nextscn(reading->elf, section)) )
    {
        Elf_Data *data;

        if ( !gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
             header.sh_info != reading->text )
            continue;
        data = elf_getdata(section, NULL);
        if ( !data )
            return -ENOEXEC;
        for ( int i = 0; gelf_getrela(data, i, &relocation); i++ )
            relocate(reading, &relocation);
    }
    return 0;
}

static int copy_text(struct reading *reading)
{
    struct unwind_object *object = reading->object;

    object->bytes = malloc(reading->code->d_size);
    if ( !object->bytes )
        return -ENOMEM;
    memcpy(object->bytes, reading->code->d_buf, reading->code->d_size);
    object->text = (struct unwind_code_text){
        .address = UNWIND_OBJECT_ADDRESS,
        .bytes = object->bytes,
        .size = reading->code->d_size,
        .base = XENOPROF_UNWIND_MODULE,
    };
    return 0;
}

static int read_object(struct reading *reading)
{
    GElf_Ehdr header;
    int result;

    if ( elf_version(EV_CURRENT) == EV_NONE )
        return -ENOEXEC;
    reading->elf = elf_begin(reading->file, ELF_C_READ, NULL);
    if ( !reading->elf || !gelf_getehdr(reading->elf, &header) ||
         header.e_type != ET_REL || header.e_machine != EM_X86_64 )
        return -ENOEXEC;
    result = find_sections(reading);
    if ( !result )
        result = copy_symbols(reading);
    if ( !result )
        result = copy_text(reading);
    return result ? result : relocate_all(reading);
}

int unwind_object_open(struct unwind_object *object, const char *path,
                       const struct hypervisor_image *image)
{
    struct reading reading = {.object = object, .image = image};
    int result;

    memset(object, 0, sizeof(*object));
    reading.file = open(path, O_RDONLY | O_CLOEXEC);
    if ( reading.file < 0 )
        return -errno;
    result = read_object(&reading);
    elf_end(reading.elf);
    close(reading.file);
    if ( result )
        unwind_object_close(object);
    return result;
}

void unwind_object_close(struct unwind_object *object)
{
    free(object->bytes);
    free(object->symbols);
    free(object->names);
    memset(object, 0, sizeof(*object));
}

int unwind_symbols(const struct hypervisor_image *image,
                   const struct unwind_object *object,
                   struct unwind_symbol **symbols, size_t *count)
{
    size_t own = object ? object->symbol_count : 0;
    struct unwind_symbol *list = calloc(image->symbol_count + own + 1,
                                        sizeof(*list));

    if ( !list )
        return -ENOMEM;
    *symbols = list;
    for ( size_t i = 0; i < image->symbol_count; i++ )
    {
        const struct image_symbol *symbol = &image->symbols[i];

        if ( symbol->address - image->text.address < image->text.size )
            *list++ = (struct unwind_symbol){symbol->address,
                                             image_bare_name(symbol->name)};
    }
    if ( own )
        memcpy(list, object->symbols, own * sizeof(*list));
    *count = list - *symbols + own;
    return 0;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Relocates the text of a module object, and lists the symbols of all texts. */
#include "own-text.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "module/elf-file.h"

/* Xen's return thunk, and ours where Xen has none (assemble-symbols.c). */
#define RETURN_THUNK     "__x86_return_thunk"
#define OWN_RETURN_THUNK "xenoprof_return_thunk"

/* Nothing lies at this distance behind our text. */
#define OUTSIDE 0x1000

struct own_object {
    struct own_text *own;
    const struct xen_image *image;
    struct elf_file file;
    struct elf_symbol_table symbols;
    size_t text; /* section number */
    Elf_Data *code;
};

/* Finds the text, the only section with code: rows count from its start. */
static int find_text(struct own_object *object)
{
    Elf *elf = object->file.elf;
    Elf_Scn *section = NULL;
    GElf_Shdr header;

    while ( (section = elf_nextscn(elf, section)) )
    {
        const char *name = elf_section_name(elf, section, &header);

        if ( !name || !(header.sh_flags & SHF_EXECINSTR) )
            continue;
        if ( object->code || strcmp(name, ".text") )
            return -ENOEXEC;
        object->text = elf_ndxscn(section);
        object->code = elf_getdata(section, NULL);
    }
    return object->code && object->code->d_size ? 0 : -ENOEXEC;
}

static bool is_own_function(const struct own_object *object,
                            const GElf_Sym *symbol, const char *name)
{
    int type = GELF_ST_TYPE(symbol->st_info);

    return symbol->st_shndx == object->text && *name &&
           (type == STT_FUNC || type == STT_NOTYPE) &&
           symbol->st_value < object->code->d_size;
}

static int compare_symbols(const void *a, const void *b)
{
    const struct listing_symbol *left = a, *right = b;

    if ( left->address != right->address )
        return left->address < right->address ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Called twice: to count the bytes of all names, then to copy them. */
static size_t walk_own_symbols(const struct own_object *object, char *names)
{
    struct own_text *own = object->own;
    size_t used = 0;

    for ( size_t i = 0; i < object->symbols.count; i++ )
    {
        GElf_Sym symbol;
        const char *name = elf_symbol(&object->symbols, i, &symbol);

        if ( !name || !is_own_function(object, &symbol, name) )
            continue;
        if ( names )
        {
            strcpy(names + used, name);
            own->symbols[own->symbol_count++] = (struct listing_symbol){
                .address = OWN_TEXT_ADDRESS + symbol.st_value,
                .name = names + used,
            };
        }
        used += strlen(name) + 1;
    }
    return used;
}

static int copy_own_symbols(struct own_object *object)
{
    struct own_text *own = object->own;

    own->symbols = calloc(object->symbols.count + 1, sizeof(*own->symbols));
    own->names = malloc(walk_own_symbols(object, NULL) + 1);
    if ( !own->symbols || !own->names )
        return -ENOMEM;
    walk_own_symbols(object, own->names);
    qsort(own->symbols, own->symbol_count, sizeof(*own->symbols),
          compare_symbols);
    return 0;
}

static uint64_t own_address(const struct own_object *object, const char *name)
{
    const struct own_text *own = object->own;

    for ( size_t i = 0; i < own->symbol_count; i++ )
        if ( !strcmp(own->symbols[i].name, name) )
            return own->symbols[i].address;
    return 0;
}

/* Returns 0 for data and for unknown symbols. */
static uint64_t own_symbol_address(const struct own_object *object,
                                   size_t index)
{
    const struct xen_symbol *found;
    GElf_Sym symbol;
    const char *name = elf_symbol(&object->symbols, index, &symbol);

    if ( !name )
        return 0;
    if ( symbol.st_shndx == object->text )
        return OWN_TEXT_ADDRESS + symbol.st_value;
    if ( symbol.st_shndx != SHN_UNDEF )
        return 0;
    found = xen_image_find(object->image, name);
    if ( found )
        return found->address;
    return strcmp(name, RETURN_THUNK) ? 0
                                      : own_address(object, OWN_RETURN_THUNK);
}

static void relocate(const struct own_object *object,
                     const GElf_Rela *relocation)
{
    struct own_text *own = object->own;
    unsigned int type = GELF_R_TYPE(relocation->r_info);
    uint64_t offset = relocation->r_offset, value;
    int32_t distance;

    if ( (type != R_X86_64_PC32 && type != R_X86_64_PLT32) ||
         own->text.size < sizeof(distance) ||
         offset > own->text.size - sizeof(distance) )
        return;
    value = own_symbol_address(object, GELF_R_SYM(relocation->r_info));
    /* An unresolved call must not look like a call of the next instruction. */
    if ( !value )
        value = OWN_TEXT_ADDRESS + own->text.size + OUTSIDE;
    value += relocation->r_addend - (OWN_TEXT_ADDRESS + offset);
    distance = value;
    memcpy(own->bytes + offset, &distance, sizeof(distance));
}

static int relocate_all(struct own_object *object)
{
    Elf_Scn *section = NULL;
    GElf_Shdr header;
    GElf_Rela relocation;

    while ( (section = elf_nextscn(object->file.elf, section)) )
    {
        Elf_Data *data;

        if ( !gelf_getshdr(section, &header) || header.sh_type != SHT_RELA ||
             header.sh_info != object->text )
            continue;
        data = elf_getdata(section, NULL);
        if ( !data )
            return -ENOEXEC;
        for ( int i = 0; gelf_getrela(data, i, &relocation); i++ )
            relocate(object, &relocation);
    }
    return 0;
}

static int copy_text(struct own_object *object)
{
    struct own_text *own = object->own;

    own->bytes = malloc(object->code->d_size);
    if ( !own->bytes )
        return -ENOMEM;
    memcpy(own->bytes, object->code->d_buf, object->code->d_size);
    own->text = (struct listing_text){
        .address = OWN_TEXT_ADDRESS,
        .bytes = own->bytes,
        .size = object->code->d_size,
        .base = XENOPROF_UNWIND_MODULE,
    };
    return 0;
}

static int read_object(struct own_object *object)
{
    GElf_Ehdr header;
    int result;

    if ( !gelf_getehdr(object->file.elf, &header) || header.e_type != ET_REL ||
         !elf_symbols_find(&object->symbols, object->file.elf) )
        return -ENOEXEC;
    result = find_text(object);
    if ( !result )
        result = copy_own_symbols(object);
    if ( !result )
        result = copy_text(object);
    return result ? result : relocate_all(object);
}

int own_text_open(struct own_text *own, const char *path,
                  const struct xen_image *image)
{
    struct own_object object = {.own = own, .image = image};
    int result;

    memset(own, 0, sizeof(*own));
    result = elf_file_open(&object.file, path);
    if ( !result )
        result = read_object(&object);
    elf_file_close(&object.file);
    if ( result )
        own_text_close(own);
    return result;
}

void own_text_close(struct own_text *own)
{
    free(own->bytes);
    free(own->symbols);
    free(own->names);
    memset(own, 0, sizeof(*own));
}

int listing_symbols(const struct xen_image *image, const struct own_text *own,
                    struct listing_symbol **symbols, size_t *count)
{
    size_t own_count = own ? own->symbol_count : 0;
    struct listing_symbol *list = calloc(image->symbol_count + own_count + 1,
                                         sizeof(*list));

    if ( !list )
        return -ENOMEM;
    *symbols = list;
    for ( size_t i = 0; i < image->symbol_count; i++ )
    {
        const struct xen_symbol *symbol = &image->symbols[i];

        if ( symbol->address - image->text.address < image->text.size )
            *list++ = (struct listing_symbol){symbol->address,
                                              xen_bare_name(symbol->name)};
    }
    if ( own_count )
        memcpy(list, own->symbols, own_count * sizeof(*list));
    *count = list - *symbols + own_count;
    return 0;
}

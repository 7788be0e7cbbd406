/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads ELF files through libelf.  They are read, not mapped: one that is made
 * shorter meanwhile must not end us.
 */
#include "elf-names.h"

#include <gelf.h>
#include <stdlib.h>
#include <string.h>

#include "base/scope.h"
#include "base/sorted.h"
#include "libxenoprof/symbols.h"
#include "packed-elf.h"
#include "plain-name.h"
#include "rows/cfi/elf-strings.h"

#define SEGMENTS_MAX 64u

/* DWARF's forms of pointers that .eh_frame_hdr has in all files in use. */
#define HEAD_VERSION  1
#define COUNT_UDATA4  0x03
#define TABLE_DATAREL 0x3b /* and 4 bytes, signed */
#define HEAD_SIZE     12u  /* version, three forms, a pointer, the count */

struct code_segment {
    uint64_t offset, address, size;
};

struct elf_names {
    struct code_segment segments[SEGMENTS_MAX];
    unsigned int segment_count;
    struct xenoprof_symbols *symbols;
    bool whole;
    uint64_t frames; /* address that starts are relative to */
    struct {
        VECTOR(int32_t); /* in order */
    } starts;
    uint8_t build_id[ELF_BUILD_ID_MAX];
    size_t build_id_size;
};

void elf_names_free(struct elf_names *names)
{
    if ( !names )
        return;
    xenoprof_symbols_close(names->symbols);
    vector_free(&names->starts);
    free(names);
}

bool elf_names_are_whole(const struct elf_names *names)
{
    return names->whole;
}

size_t elf_names_bytes(const struct elf_names *names)
{
    return sizeof(*names) +
           names->symbols->count * sizeof(*names->symbols->items) +
           names->symbols->names.used +
           names->starts.count * sizeof(*names->starts.items);
}

size_t elf_names_build_id(const struct elf_names *names,
                          uint8_t ret[ELF_BUILD_ID_MAX])
{
    memcpy(ret, names->build_id, names->build_id_size);
    return names->build_id_size;
}

/* The part of a segment that the file has, or NULL. */
static Elf_Data *segment_data(Elf *elf, const GElf_Phdr *segment, size_t most,
                              Elf_Type type)
{
    if ( segment->p_offset > INT64_MAX || segment->p_filesz > most )
        return NULL;
    return elf_getdata_rawchunk(elf, (int64_t)segment->p_offset,
                                segment->p_filesz, type);
}

static void take_notes(struct elf_names *names, Elf *elf,
                       const GElf_Phdr *segment)
{
    Elf_Data *data = segment_data(elf, segment, 65536, ELF_T_NHDR);
    size_t at = 0, name, text;
    GElf_Nhdr note;

    while ( data && (at = gelf_getnote(data, at, &note, &name, &text)) )
        if ( note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
             note.n_descsz && note.n_descsz <= ELF_BUILD_ID_MAX &&
             !memcmp((const char *)data->d_buf + name, "GNU", 4) )
        {
            names->build_id_size = note.n_descsz;
            memcpy(names->build_id, (const char *)data->d_buf + text,
                   note.n_descsz);
        }
}

/* The table of .eh_frame_hdr is for a search by halves, so it is sorted, or of
 * no use. */
static void take_starts(struct elf_names *names, Elf *elf,
                        const GElf_Phdr *segment, size_t bytes)
{
    const Elf_Data *data = segment_data(elf, segment, bytes, ELF_T_BYTE);
    const uint8_t *head = data ? data->d_buf : NULL;
    uint32_t count;

    if ( !head || data->d_size < HEAD_SIZE || head[0] != HEAD_VERSION ||
         head[2] != COUNT_UDATA4 || head[3] != TABLE_DATAREL )
        return;
    memcpy(&count, head + HEAD_SIZE - 4, 4);
    if ( count > (data->d_size - HEAD_SIZE) / 8 ||
         !vector_reserve(&names->starts, count) )
        return;
    for ( uint32_t i = 0; i < count; i++ )
    {
        memcpy(&names->starts.items[i], head + HEAD_SIZE + 8 * i, 4);
        if ( i && names->starts.items[i] < names->starts.items[i - 1] )
            return;
    }
    names->frames = segment->p_vaddr;
    names->starts.count = count;
}

static void take_code_segments(struct elf_names *names, Elf *elf, size_t bytes)
{
    size_t count = 0;
    GElf_Phdr segment;

    if ( elf_getphdrnum(elf, &count) || count > SEGMENTS_MAX )
        return;
    for ( size_t i = 0; i < count; i++ )
    {
        if ( !gelf_getphdr(elf, (int)i, &segment) )
            return;
        if ( segment.p_type == PT_LOAD && segment.p_flags & PF_X )
            names->segments[names->segment_count++] = (struct code_segment){
                segment.p_offset, segment.p_vaddr, segment.p_filesz};
        else if ( segment.p_type == PT_NOTE )
            take_notes(names, elf, &segment);
        else if ( segment.p_type == PT_GNU_EH_FRAME )
            take_starts(names, elf, &segment, bytes);
    }
}

/* What is not code ends the function before it. */
static bool is_wanted_symbol(const GElf_Sym *from)
{
    return from->st_shndx != SHN_UNDEF && from->st_shndx < SHN_LORESERVE &&
           from->st_name && GELF_ST_TYPE(from->st_info) <= STT_FUNC;
}

static struct symbol convert_elf_symbol(const GElf_Sym *from)
{
    unsigned int bind = GELF_ST_BIND(from->st_info);

    return (struct symbol){
        .address = from->st_value,
        .size = from->st_size < UINT32_MAX ? (uint32_t)from->st_size
                                           : UINT32_MAX,
        .worth = bind == STB_GLOBAL ? WORTH_GLOBAL
                 : bind == STB_WEAK ? WORTH_WEAK
                                    : WORTH_LOCAL,
        .code = GELF_ST_TYPE(from->st_info) != STT_OBJECT,
    };
}

/* Returns false if that would take more bytes, or there is no memory. */
static bool add_elf_symbols(struct xenoprof_symbols *symbols, Elf *elf,
                            const GElf_Shdr *section, Elf_Data *data,
                            size_t bytes)
{
    size_t count = section->sh_entsize ? data->d_size / section->sh_entsize : 0;

    for ( size_t i = 0; i < count && i < INT32_MAX; i++ )
    {
        GElf_Sym from;
        struct symbol symbol;
        const char *name;

        if ( !gelf_getsym(data, (int)i, &from) )
            return true;
        if ( !is_wanted_symbol(&from) )
            continue;
        name = elf_strptr(elf, section->sh_link, from.st_name);
        if ( !name || !*name || *name == '$' )
            continue;
        symbol = convert_elf_symbol(&from);
        if ( symbols->count * sizeof(symbol) + symbols->names.used +
                     strlen(name) >
                 bytes ||
             !symbols_add(symbols, &symbol, name, strlen(name)) )
            return false;
    }
    return true;
}

/* Adds the symbols of the first section of that type.  Returns false if there
 * is none, or no room for all. */
static bool take_symbol_table(struct xenoprof_symbols *symbols, Elf *elf,
                              uint32_t type, size_t bytes)
{
    GElf_Shdr section;
    Elf_Scn *scn = NULL;
    Elf_Data *data;

    while ( (scn = elf_nextscn(elf, scn)) )
        if ( gelf_getshdr(scn, &section) && section.sh_type == type )
            break;
    /* The tables and what is made of them are about as large. */
    if ( !scn || section.sh_size > bytes ||
         !elf_strings_fit(elf, section.sh_link, bytes) ||
         !(data = elf_getdata(scn, NULL)) )
        return false;
    return add_elf_symbols(symbols, elf, &section, data, bytes);
}

/* Adds those of the file that is packed in this one, if there is one. */
static bool take_packed(struct xenoprof_symbols *symbols, Elf *elf,
                        size_t bytes)
{
    size_t size;
    uint8_t *image SCOPE_FREE = packed_elf_read(elf, bytes, &size);
    Elf *inner = image ? elf_memory((char *)image, size) : NULL;
    bool taken = inner && elf_kind(inner) == ELF_K_ELF &&
                 take_symbol_table(symbols, inner, SHT_SYMTAB, bytes);

    elf_end(inner);
    return taken;
}

static void take_symbols(struct elf_names *names, Elf *elf, size_t bytes)
{
    names->symbols = symbols_create();
    if ( !names->symbols )
        return;
    names->whole = take_symbol_table(names->symbols, elf, SHT_SYMTAB, bytes) &&
                   names->symbols->count;
    if ( !names->whole )
    {
        take_symbol_table(names->symbols, elf, SHT_DYNSYM, bytes);
        names->whole = take_packed(names->symbols, elf, bytes);
    }
    symbols_sort(names->symbols);
}

static Elf *only_elf(Elf *elf)
{
    if ( elf && elf_kind(elf) == ELF_K_ELF )
        return elf;
    elf_end(elf);
    return NULL;
}

static Elf *open_elf(int fd)
{
    elf_version(EV_CURRENT);
    return only_elf(elf_begin(fd, ELF_C_READ, NULL));
}

/* Ends elf, which may be NULL. */
static struct elf_names *make_elf_names(Elf *elf, size_t bytes)
{
    struct elf_names *names = elf ? calloc(1, sizeof(*names)) : NULL;

    if ( names )
    {
        take_code_segments(names, elf, bytes);
        take_symbols(names, elf, bytes);
    }
    elf_end(elf);
    if ( names && names->symbols )
        return names;
    elf_names_free(names);
    return NULL;
}

struct elf_names *elf_names_read(int fd, size_t bytes)
{
    return make_elf_names(open_elf(fd), bytes);
}

struct elf_names *elf_names_of(const void *file, size_t size, size_t bytes)
{
    elf_version(EV_CURRENT);
    return make_elf_names(only_elf(elf_memory((char *)(uintptr_t)file, size)),
                          bytes);
}

size_t elf_build_id_read(int fd, uint8_t ret[ELF_BUILD_ID_MAX])
{
    struct elf_names names = {.build_id_size = 0};
    Elf *elf = open_elf(fd);

    if ( elf )
        take_code_segments(&names, elf, 0);
    elf_end(elf);
    memcpy(ret, names.build_id, names.build_id_size);
    return names.build_id_size;
}

void elf_names_add(struct elf_names *names, int fd, size_t bytes)
{
    struct elf_names *more = elf_names_read(fd, bytes);

    if ( !names->whole && more && more->whole &&
         more->build_id_size == names->build_id_size &&
         !memcmp(more->build_id, names->build_id, names->build_id_size) )
    {
        xenoprof_symbols_close(names->symbols);
        names->symbols = more->symbols;
        names->whole = true;
        more->symbols = NULL;
    }
    elf_names_free(more);
}

bool elf_names_address(const struct elf_names *names, uint64_t offset,
                       uint64_t *ret)
{
    for ( unsigned int i = 0; i < names->segment_count; i++ )
    {
        const struct code_segment *segment = &names->segments[i];

        if ( offset - segment->offset < segment->size )
        {
            *ret = segment->address + (offset - segment->offset);
            return true;
        }
    }
    return false;
}

/* Returns how many functions begin at or before the address. */
static size_t starts_until(const struct elf_names *names, uint64_t address)
{
    size_t low = 0, high = names->starts.count;

    while ( low < high )
    {
        size_t middle = low + (high - low) / 2;

        if ( names->frames + (uint64_t)names->starts.items[middle] <= address )
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void set_least(uint64_t *least, uint64_t value)
{
    if ( value < *least )
        *least = value;
}

/* Where nothing says otherwise, a function is all of its segment. */
static void find_segment(const struct elf_names *names, uint64_t address,
                         struct elf_function *ret)
{
    *ret = (struct elf_function){.start = address, .after = 1};
    for ( unsigned int i = 0; i < names->segment_count; i++ )
    {
        const struct code_segment *segment = &names->segments[i];

        if ( address - segment->address < segment->size )
            *ret = (struct elf_function){.start = segment->address,
                                         .before = address - segment->address,
                                         .after = segment->size -
                                                  (address - segment->address)};
    }
}

/* The last function that begins at or before the address. */
static void find_frame(const struct elf_names *names, uint64_t address,
                       struct elf_function *ret)
{
    const int32_t *starts = names->starts.items;
    size_t count = starts_until(names, address);

    if ( count )
    {
        ret->start = names->frames + (uint64_t)starts[count - 1];
        set_least(&ret->before, address - ret->start);
    }
    if ( count < names->starts.count )
        set_least(&ret->after,
                  names->frames + (uint64_t)starts[count] - address);
}

/* No symbol covers the address, but some may begin or end near it. */
static void keep_off_symbols(const struct xenoprof_symbols *symbols,
                             uint64_t address, struct elf_function *ret)
{
    size_t count = sorted_until(symbols->items, symbols->count, address,
                                address);
    const struct symbol *items = symbols->items;

    if ( count )
        set_least(&ret->before,
                  address - items[count - 1].address - items[count - 1].size);
    if ( count < symbols->count )
        set_least(&ret->after, items[count].address - address);
}

bool elf_names_find(const struct elf_names *names, uint64_t address,
                    struct elf_function *ret)
{
    struct xenoprof_symbol symbol;

    find_segment(names, address, ret);
    if ( xenoprof_symbols_find(names->symbols, address, &symbol) )
    {
        ret->start = symbol.start;
        set_least(&ret->before, address - symbol.start);
        set_least(&ret->after, symbol.size - (address - symbol.start));
        plain_name(symbol.name, ret->name, sizeof(ret->name));
        return true;
    }
    find_frame(names, address, ret);
    keep_off_symbols(names->symbols, address, ret);
    return false;
}

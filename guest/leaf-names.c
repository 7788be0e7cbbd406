/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Program headers, then the dynamic section, then one look at each symbol for
 * all that is asked.  No section header is read: they lie at a file's end,
 * where nobody has looked in most cases, so that they are missing.
 */
#include "leaf-names.h"

#include <elf.h>
#include <string.h>

#define HEADERS_MAX  64u
#define SEGMENTS_MAX 16u
#define ENTRIES_MAX  256u /* of a dynamic section */
#define TABLES_MAX   16u  /* of those that it says */
#define PAGE_BYTES   4096u

struct leaf_segment {
    uint64_t offset, address, size;
};

struct leaf_file {
    file_get get;
    void *self;
    struct leaf_segment segments[SEGMENTS_MAX];
    uint32_t count;
    uint64_t dynamic, dynamic_size; /* in the file; 0: there is none */
    uint64_t symbols, strings;      /* addresses */
    uint64_t strings_size;
    uint64_t tables[TABLES_MAX]; /* addresses of all that it says */
    uint32_t table_count;
};

/* The best that was found for an address so far. */
struct leaf_symbol {
    uint64_t start;
    uint32_t name;
    unsigned int worth; /* 0: nothing yet */
};

/* The file -------------------------------------------------------------- */

static bool is_elf(const Elf64_Ehdr *head)
{
    return !memcmp(head->e_ident, ELFMAG, SELFMAG) &&
           head->e_ident[EI_CLASS] == ELFCLASS64 &&
           head->e_ident[EI_DATA] == ELFDATA2LSB &&
           head->e_machine == EM_X86_64 &&
           head->e_phentsize == sizeof(Elf64_Phdr) &&
           head->e_phnum <= HEADERS_MAX;
}

static bool read_headers(struct leaf_file *file)
{
    Elf64_Ehdr head;
    Elf64_Phdr header;

    if ( !file->get(file->self, 0, &head, sizeof(head)) || !is_elf(&head) )
        return false;
    for ( uint64_t i = 0; i < head.e_phnum; i++ )
    {
        if ( !file->get(file->self, head.e_phoff + i * sizeof(header), &header,
                        sizeof(header)) ||
             !header.p_filesz ||
             header.p_offset + header.p_filesz <= header.p_offset ||
             header.p_vaddr + header.p_filesz <= header.p_vaddr )
            continue;
        if ( header.p_type == PT_LOAD && file->count < SEGMENTS_MAX )
            file->segments[file->count++] = (struct leaf_segment){
                header.p_offset, header.p_vaddr, header.p_filesz};
        if ( header.p_type == PT_DYNAMIC )
        {
            file->dynamic = header.p_offset;
            file->dynamic_size = header.p_filesz;
        }
    }
    return file->count;
}

/* What is mapped begins at a page, with what lies before a segment there. */
static bool address_of_offset(const struct leaf_file *file, uint64_t offset,
                              uint64_t *ret)
{
    for ( uint32_t i = 0; i < file->count; i++ )
    {
        const struct leaf_segment *segment = &file->segments[i];

        *ret = segment->address + (offset - segment->offset);
        if ( offset - segment->offset < segment->size )
            return true;
    }
    return false;
}

/* Returns how many bytes of the segment lie there, 0: none. */
static uint64_t offset_of_address(const struct leaf_file *file,
                                  uint64_t address, uint64_t *offset)
{
    for ( uint32_t i = 0; i < file->count; i++ )
    {
        const struct leaf_segment *segment = &file->segments[i];
        uint64_t distance = address - segment->address;

        if ( distance >= segment->size )
            continue;
        *offset = segment->offset + distance;
        return segment->size - distance;
    }
    return 0;
}

/* The dynamic section --------------------------------------------------- */

/* Tables that linkers put behind the symbols. */
static bool is_linker_table(int64_t tag)
{
    switch ( tag )
    {
    case DT_STRTAB:
    case DT_HASH:
    case DT_GNU_HASH:
    case DT_VERSYM:
    case DT_VERNEED:
    case DT_VERDEF:
    case DT_RELA:
    case DT_JMPREL:
    case DT_INIT:
    case DT_FINI: return true;
    default: return false;
    }
}

static bool read_dynamic(struct leaf_file *file)
{
    uint64_t count = file->dynamic_size / sizeof(Elf64_Dyn), value;
    Elf64_Dyn entry;

    for ( uint64_t i = 0; i < count && i < ENTRIES_MAX; i++ )
    {
        if ( !file->get(file->self, file->dynamic + i * sizeof(entry), &entry,
                        sizeof(entry)) )
            return false;
        if ( entry.d_tag == DT_NULL )
            break;
        value = entry.d_un.d_val;
        if ( entry.d_tag == DT_SYMTAB )
            file->symbols = value;
        if ( entry.d_tag == DT_STRTAB )
            file->strings = value;
        if ( entry.d_tag == DT_STRSZ )
            file->strings_size = value;
        if ( is_linker_table(entry.d_tag) && file->table_count < TABLES_MAX )
            file->tables[file->table_count++] = value;
    }
    return file->symbols && file->strings;
}

/* Nothing says how many symbols there are but hash tables of two sorts.  They
 * end where the next table begins, at the latest. */
static uint64_t count_leaf_symbols(const struct leaf_file *file)
{
    uint64_t offset, bytes = offset_of_address(file, file->symbols, &offset),
                     count;

    for ( uint32_t i = 0; i < file->table_count; i++ )
        if ( file->tables[i] > file->symbols &&
             file->tables[i] - file->symbols < bytes )
            bytes = file->tables[i] - file->symbols;
    count = bytes / sizeof(Elf64_Sym);
    return count < LEAF_SYMBOLS_MAX ? count : LEAF_SYMBOLS_MAX;
}

/* Symbols --------------------------------------------------------------- */

/* Returns 0 if it is no function of this file. */
static unsigned int worth_of(const Elf64_Sym *symbol)
{
    unsigned int sort = ELF64_ST_TYPE(symbol->st_info);

    if ( symbol->st_shndx == SHN_UNDEF || !symbol->st_name ||
         (sort != STT_FUNC && sort != STT_GNU_IFUNC) )
        return 0;
    return ELF64_ST_BIND(symbol->st_info) == STB_GLOBAL ? 2 : 1;
}

/* Of those that cover an address the one that begins last, and then the one
 * that others use by this name rather than by another. */
static void take_symbol(const Elf64_Sym *symbol, uint64_t address,
                        struct leaf_symbol *best)
{
    unsigned int worth = worth_of(symbol);

    if ( !worth || address - symbol->st_value >= symbol->st_size ||
         (best->worth &&
          (symbol->st_value < best->start ||
           (symbol->st_value == best->start && worth <= best->worth))) )
        return;
    *best = (struct leaf_symbol){symbol->st_value, symbol->st_name, worth};
}

/* Returns the number of the first symbol that begins on the page behind that of
 * another one; the first of all lies at offset. */
static uint64_t on_next_page(uint64_t offset, uint64_t symbol)
{
    uint64_t at = offset + symbol * sizeof(Elf64_Sym);

    return symbol + (PAGE_BYTES - at % PAGE_BYTES + sizeof(Elf64_Sym) - 1) /
                        sizeof(Elf64_Sym);
}

static void look_at_symbols(const struct leaf_file *file,
                            const struct leaf_name *leaves, size_t count,
                            struct leaf_symbol *best)
{
    uint64_t symbols = count_leaf_symbols(file), offset, i = 1;
    Elf64_Sym symbol;

    if ( !symbols || !offset_of_address(file, file->symbols, &offset) )
        return;
    while ( i < symbols )
    {
        bool there = file->get(file->self, offset + i * sizeof(symbol), &symbol,
                               sizeof(symbol));

        for ( size_t j = 0; there && j < count; j++ )
            if ( leaves[j].found )
                take_symbol(&symbol, leaves[j].address, &best[j]);
        i = there ? i + 1 : on_next_page(offset, i);
    }
}

static char printable_letter(char letter)
{
    return letter < ' ' || letter > '~' ? '?' : letter;
}

/* Reads a name up to its zero, letter by letter: what lies behind it may be
 * missing.  Returns whether there is one; a long one is cut. */
static bool read_leaf_name(const struct leaf_file *file, uint32_t at,
                           char ret[LEAF_NAME_MAX + 1])
{
    uint64_t room = at < file->strings_size ? file->strings_size - at : 0;
    size_t length = 0;

    while ( length < LEAF_NAME_MAX && length < room )
    {
        uint64_t offset;
        char letter;

        if ( !offset_of_address(file, file->strings + at + length, &offset) ||
             !file->get(file->self, offset, &letter, 1) )
            return false;
        if ( !letter )
            break;
        ret[length++] = printable_letter(letter);
    }
    return length;
}

void leaf_names_find(file_get get, void *self, const uint64_t *offsets,
                     size_t count, struct leaf_name *ret)
{
    struct leaf_file file = {.get = get, .self = self};
    struct leaf_symbol best[LEAVES_MAX] = {0};
    bool there = read_headers(&file);

    for ( size_t i = 0; i < count; i++ )
    {
        ret[i] = (struct leaf_name){.address = offsets[i]};
        if ( there && address_of_offset(&file, offsets[i], &ret[i].address) )
            ret[i].found = LEAF_ADDRESS;
        else
            ret[i].address = offsets[i];
    }
    if ( !there || !read_dynamic(&file) )
        return;
    look_at_symbols(&file, ret, count, best);
    for ( size_t i = 0; i < count; i++ )
    {
        if ( !best[i].worth ||
             !read_leaf_name(&file, best[i].name, ret[i].name) )
        {
            memset(ret[i].name, 0, sizeof(ret[i].name));
            continue;
        }
        ret[i].found = LEAF_SYMBOL;
        ret[i].start = best[i].start;
    }
}

bool leaf_name_is_sound(const struct leaf_name *name)
{
    size_t length = strnlen(name->name, sizeof(name->name));

    if ( name->found > LEAF_SYMBOL || length == sizeof(name->name) ||
         (name->found == LEAF_SYMBOL) != (length > 0) )
        return false;
    for ( size_t i = 0; i < length; i++ )
        if ( name->name[i] != printable_letter(name->name[i]) )
            return false;
    return true;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A table of symbols by address. */
#include <string.h>

#include "base/sorted.h"
#include "symbols.h"

/*
 * Where the source has no sizes, a symbol reaches to the next symbol, unless
 * that is so far away that something else must lie between.  Xen's largest
 * function, the instruction emulator, is well below the limit.
 */
#define GAP_MAX   (256u << 10)
#define REACH_MAX 4096u /* of a symbol before a gap */

/* Labels at ends of sections: the bytes that follow are not theirs. */
static const char *const section_ends[] = {
    "_etext",     "_einittext", "__end_rodata", "_end",        "_edata",
    "__bss_stop", "__init_end", "_erodata",     "_sextratext", "_eextratext",
};

/* Labels at beginnings: the first function has a name of its own, mostly. */
static const char *const beginnings[] = {
    "_start", "_stext", "_text", "_stextentry", "_sinittext", "__init_begin",
};

struct xenoprof_symbols *symbols_create(void)
{
    struct xenoprof_symbols *symbols = calloc(1, sizeof(*symbols));

    /* Offset 0 stands for no module. */
    if ( symbols && !buffer_append(&symbols->names, "", 1) )
    {
        free(symbols);
        return NULL;
    }
    return symbols;
}

void xenoprof_symbols_close(struct xenoprof_symbols *symbols)
{
    if ( !symbols )
        return;
    buffer_free(&symbols->names);
    vector_free(symbols);
    free(symbols);
}

static bool add_symbol_name(struct xenoprof_symbols *symbols, const char *name,
                            size_t length, uint32_t *ret)
{
    if ( symbols->names.used + length >= UINT32_MAX ||
         !buffer_reserve(&symbols->names, length + 1) )
        return false;
    *ret = symbols->names.used;
    return buffer_append(&symbols->names, name, length) &&
           buffer_append(&symbols->names, "", 1);
}

static const char *name_at(const struct xenoprof_symbols *symbols,
                           uint32_t offset)
{
    return (const char *)symbols->names.bytes + offset;
}

bool symbols_add(struct xenoprof_symbols *symbols, const struct symbol *symbol,
                 const char *name, size_t length)
{
    struct symbol *added;

    if ( !vector_reserve(symbols, 1) )
        return false;
    added = &symbols->items[symbols->count];
    *added = *symbol;
    if ( !add_symbol_name(symbols, name, length, &added->name) )
        return false;
    symbols->count++;
    return true;
}

uint32_t symbols_module(struct xenoprof_symbols *symbols, const char *name,
                        size_t length)
{
    const char *last = name_at(symbols, symbols->last_module);

    /* The symbols of a kernel module come in a row. */
    if ( strlen(last) == length && !memcmp(last, name, length) )
        return symbols->last_module;
    if ( !add_symbol_name(symbols, name, length, &symbols->last_module) )
        return 0;
    return symbols->last_module;
}

static size_t underscores(const char *name)
{
    return strspn(name, "_.$");
}

/* Worse names first: the last symbol of an address is shown. */
static int by_niceness(const char *a, const char *b)
{
    size_t left = underscores(a), right = underscores(b);

    if ( left != right )
        return left > right ? -1 : 1;
    left = strlen(a);
    right = strlen(b);
    if ( left != right )
        return left > right ? -1 : 1;
    return strcmp(b, a);
}

static int by_address(const void *a, const void *b, void *context)
{
    const struct symbol *left = a, *right = b;
    const struct xenoprof_symbols *symbols = context;

    if ( left->address != right->address )
        return left->address < right->address ? -1 : 1;
    if ( left->code != right->code )
        return left->code ? 1 : -1;
    if ( left->worth != right->worth )
        return left->worth < right->worth ? -1 : 1;
    return by_niceness(name_at(symbols, left->name),
                       name_at(symbols, right->name));
}

static bool is_one_of(const char *const *list, size_t count, const char *name)
{
    for ( size_t i = 0; i < count; i++ )
        if ( !strcmp(name, list[i]) )
            return true;
    return false;
}

#define IS_ONE_OF(list, name)                                                  \
    is_one_of(list, sizeof(list) / sizeof((list)[0]), name)

static void note_bounds(struct xenoprof_symbols *symbols)
{
    for ( size_t i = 0; i < symbols->count; i++ )
    {
        struct symbol *symbol = &symbols->items[i];
        const char *name = name_at(symbols, symbol->name);

        if ( IS_ONE_OF(section_ends, name) )
            symbol->code = false;
        if ( IS_ONE_OF(beginnings, name) )
            symbol->worth = WORTH_BOUND;
    }
}

/* Returns how many bytes the symbol names.  next is the address of the next
 * symbol, or 0; a size from the source is a limit too. */
static uint32_t reach(const struct symbol *symbol, uint64_t next)
{
    uint64_t gap = next - symbol->address;

    if ( !symbol->code )
        return 0;
    if ( symbol->size )
        return next && gap < symbol->size ? gap : symbol->size;
    return next && gap <= GAP_MAX ? gap : REACH_MAX;
}

/* A kernel's table is kept for long, so give unused room back. */
static void trim_symbols(struct xenoprof_symbols *symbols)
{
    struct symbol *items = realloc(symbols->items,
                                   symbols->count * sizeof(*items));
    uint8_t *names = realloc(symbols->names.bytes, symbols->names.used);

    if ( items )
    {
        symbols->items = items;
        symbols->room = symbols->count;
    }
    if ( names )
    {
        symbols->names.bytes = names;
        symbols->names.room = symbols->names.used;
    }
}

void symbols_sort(struct xenoprof_symbols *symbols)
{
    uint64_t next = 0;

    if ( !symbols->count )
        return;
    trim_symbols(symbols);
    note_bounds(symbols);
    qsort_r(symbols->items, symbols->count, sizeof(*symbols->items), by_address,
            symbols);
    for ( size_t i = symbols->count; i--; )
    {
        struct symbol *symbol = &symbols->items[i];

        if ( i + 1 < symbols->count && symbol[1].address != symbol->address )
            next = symbol[1].address;
        symbol->size = reach(symbol, next);
    }
}

static void describe(const struct xenoprof_symbols *symbols,
                     const struct symbol *symbol, struct xenoprof_symbol *ret)
{
    *ret = (struct xenoprof_symbol){
        .name = name_at(symbols, symbol->name),
        .module = symbol->module ? name_at(symbols, symbol->module) : NULL,
        .start = symbol->address,
        .size = symbol->size,
    };
}

bool xenoprof_symbols_find(const struct xenoprof_symbols *symbols,
                           uint64_t address, struct xenoprof_symbol *ret)
{
    size_t count = sorted_until(symbols->items, symbols->count, address,
                                address);
    const struct symbol *symbol;

    if ( !count )
        return false;
    symbol = &symbols->items[count - 1];
    if ( address - symbol->address >= symbol->size )
        return false;
    describe(symbols, symbol, ret);
    return true;
}

bool xenoprof_symbols_lookup(const struct xenoprof_symbols *symbols,
                             const char *name, struct xenoprof_symbol *ret)
{
    /* This is called a few times in a session; an index by name would cost more
     * memory than it saves time. */
    for ( size_t i = 0; i < symbols->count; i++ )
    {
        if ( strcmp(name_at(symbols, symbols->items[i].name), name) )
            continue;
        describe(symbols, &symbols->items[i], ret);
        return true;
    }
    return false;
}

size_t xenoprof_symbols_count(const struct xenoprof_symbols *symbols)
{
    return symbols->count;
}

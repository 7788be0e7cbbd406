/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kit's kallsyms, in each order and encoding that Linux has had. */
#include <stdlib.h>
#include <string.h>

#include "kernel-kit.h"

/* Each byte of a name is a token; these characters are their own tokens. */
static const struct {
    uint8_t code;
    const char *text;
} tokens[] = {{1, "tsys_"}, {2, "_it_"}, {3, "reader"}, {200, "_orc_"}};

static const char *token_text(unsigned int code)
{
    static char single[2];
    size_t i;

    for ( i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++ )
        if ( tokens[i].code == code )
            return tokens[i].text;
    single[0] = (char)(code < ' ' || code > '~' ? '?' : code);
    return single;
}

static size_t encode(const struct fake_symbol *symbol, uint8_t *to)
{
    char text[FAKE_NAME_MAX + 1];
    const char *at = text;
    size_t length = 0, i;

    text[0] = symbol->type;
    strcpy(text + 1, symbol->name);
    while ( *at )
    {
        for ( i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++ )
            if ( !strncmp(at, tokens[i].text, strlen(tokens[i].text)) )
                break;
        if ( i < sizeof(tokens) / sizeof(tokens[0]) )
        {
            to[length++] = tokens[i].code;
            at += strlen(tokens[i].text);
        }
        else
            to[length++] = (uint8_t)*at++;
    }
    return length;
}

struct tables {
    struct fake_part names, markers, strings, index;
};

static void make_names(const struct fake_kernel *fake, struct tables *tables)
{
    uint32_t width = fake->form.marker_width ? fake->form.marker_width : 4, i;
    uint8_t name[FAKE_NAME_MAX + 1], head[2];
    uint64_t marker;

    for ( i = 0; i < fake->count; i++ )
    {
        size_t length = encode(&fake->symbols[i], name);

        marker = tables->names.size;
        if ( i % KALLSYMS_BLOCK == 0 )
            fake_add(&tables->markers, &marker, width);
        head[0] = (uint8_t)(length > 127 ? 0x80 | (length & 127) : length);
        head[1] = (uint8_t)(length >> 7);
        fake_add(&tables->names, head, length > 127 ? 2 : 1);
        fake_add(&tables->names, name, length);
    }
}

static void make_tokens(struct tables *tables)
{
    unsigned int code;

    for ( code = 0; code < 256; code++ )
    {
        const char *text = token_text(code);
        uint16_t at = (uint16_t)tables->strings.size;

        fake_add(&tables->index, &at, sizeof(at));
        fake_add(&tables->strings, text, strlen(text) + 1);
    }
}

static void align(struct fake_kernel *fake)
{
    fake_align(&fake->kernel, fake->form.alignment);
}

static void add_table(struct fake_kernel *fake, const struct fake_part *table)
{
    align(fake);
    fake_add(&fake->kernel, table->bytes, table->size);
}

static void add_offsets(struct fake_kernel *fake)
{
    uint64_t base = fake->kernel.address;
    uint32_t i;

    align(fake);
    for ( i = 0; i < fake->count; i++ )
    {
        uint64_t address = fake->symbols[i].address;
        uint32_t offset = (uint32_t)(address - base);

        if ( fake->form.encoding == OFFSET_FROM_SELF )
            offset = (uint32_t)(address - fake_end(&fake->kernel));
        else if ( i < fake->per_cpu )
            offset = (uint32_t)address;
        else if ( fake->form.encoding == OFFSET_PER_CPU )
            offset = (uint32_t)(base - address - 1);
        fake_add(&fake->kernel, &offset, sizeof(offset));
    }
    if ( fake->form.encoding == OFFSET_FROM_SELF )
        return;
    align(fake);
    fake_add(&fake->kernel, &base, sizeof(base));
}

static void add_by_name(struct fake_kernel *fake)
{
    uint32_t i;

    align(fake);
    for ( i = 0; i < fake->count; i++ )
    {
        uint32_t any = i * 2654435761u;

        fake_add(&fake->kernel, &any, fake->form.by_name_width);
    }
}

static void add_count(struct fake_kernel *fake)
{
    uint64_t count = fake->count;

    align(fake);
    fake_add(&fake->kernel, &count, fake->form.alignment);
}

static void add_all(struct fake_kernel *fake, const struct tables *tables)
{
    if ( !fake->form.new_order )
        add_offsets(fake);
    add_count(fake);
    add_table(fake, &tables->names);
    add_table(fake, &tables->markers);
    if ( !fake->form.new_order )
        add_by_name(fake);
    add_table(fake, &tables->strings);
    add_table(fake, &tables->index);
    if ( !fake->form.new_order )
        return;
    add_offsets(fake);
    add_by_name(fake);
}

static void hide_data(struct fake_kernel *fake)
{
    uint32_t i, kept = fake->per_cpu;

    for ( i = kept; i < fake->count; i++ )
        if ( strchr("tT", fake->symbols[i].type) )
            fake->symbols[kept++] = fake->symbols[i];
    fake->count = kept;
}

void fake_add_kallsyms(struct fake_kernel *fake)
{
    struct tables tables = {0};
    struct fake_kernel after = *fake;
    uint64_t room = (uint64_t)fake->count * 32 + 65536;
    uint64_t end;

    /* What comes behind has symbols in it. */
    after.kernel = (struct fake_part){.address = fake_end(&fake->kernel)};
    after.kernel.address = (after.kernel.address + room + 4095) & ~4095ull;
    end = after.kernel.address;
    fake_add_init(&after);
    fake->symbols = after.symbols;
    fake->count = after.count;
    fake->room = after.room;
    if ( fake->form.code_only )
        hide_data(fake);
    make_names(fake, &tables);
    make_tokens(&tables);
    add_all(fake, &tables);
    fake_must(fake_end(&fake->kernel) <= end, "room for the tables");
    fake_add(&fake->kernel, NULL, end - fake_end(&fake->kernel));
    fake_add(&fake->kernel, after.kernel.bytes, after.kernel.size);
    free(after.kernel.bytes);
    free(tables.names.bytes);
    free(tables.markers.bytes);
    free(tables.strings.bytes);
    free(tables.index.bytes);
}

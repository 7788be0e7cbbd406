/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sorts functions and lays their rows out, page by page. */
#include "row-builder.h"

#include <stdlib.h>
#include <string.h>

#include "row-pack.h"

static const struct row_rule rule_none = {.kind = RULE_NONE};
static const struct row_rule rule_root = {.kind = RULE_ROOT};

enum { NUMBER_NONE, NUMBER_UNKNOWN, NUMBER_ROOT };

static bool segments_fit(struct row_builder *builder)
{
    uint64_t at = 0;

    for ( uint32_t i = 0; i < builder->segments; i++ )
    {
        const struct row_segment *segment = &builder->segment[i];

        if ( segment->address < at || !segment->size ||
             segment->size > UINT64_MAX - ROW_PAGE - segment->address )
            return false;
        at = segment->address + segment->size;
    }
    builder->base = builder->segment[0].address & ~(uint64_t)(ROW_PAGE - 1);
    builder->end = (at + ROW_PAGE - 1) & ~(uint64_t)(ROW_PAGE - 1);
    return builder->end - builder->base <= (uint64_t)ROW_PAGES_MAX
                                               << ROW_PAGE_SHIFT;
}

static bool put_rule(struct row_builder *builder, const struct row_rule *rule,
                     uint32_t *number)
{
    const struct row_rule *put;

    put = table_find(&builder->rules, rule);
    if ( !put && builder->rules.count == ROW_RULES_MAX )
    {
        *number = NUMBER_UNKNOWN;
        return true;
    }
    if ( !put )
        put = table_put(&builder->rules, rule);
    if ( put )
        *number = (uint32_t)table_index(&builder->rules, put);
    return put;
}

bool row_builder_init(struct row_builder *builder,
                      const struct row_segment *segment, size_t segments)
{
    static const struct row_rule unknown = {.kind = RULE_UNKNOWN};
    uint32_t number;

    memset(builder, 0, sizeof(*builder));
    table_init(&builder->rules, sizeof(rule_none), sizeof(rule_none));
    if ( !segments || segments > ROW_SEGMENTS_MAX )
        return false;
    memcpy(builder->segment, segment, segments * sizeof(*segment));
    builder->segments = (uint32_t)segments;
    if ( !segments_fit(builder) )
        return false;
    builder->no_memory = !put_rule(builder, &rule_none, &number) ||
                         !put_rule(builder, &unknown, &number) ||
                         !put_rule(builder, &rule_root, &number);
    return !builder->no_memory;
}

void row_builder_free(struct row_builder *builder)
{
    vector_free(&builder->functions);
    vector_free(&builder->raw);
    table_free(&builder->rules);
}

static bool in_segments(const struct row_builder *builder, uint64_t start,
                        uint64_t end)
{
    for ( uint32_t i = 0; i < builder->segments; i++ )
        if ( start >= builder->segment[i].address &&
             end - builder->segment[i].address <= builder->segment[i].size )
            return true;
    return false;
}

void row_builder_function(struct row_builder *builder, uint64_t start,
                          uint64_t end)
{
    struct row_function *function;

    builder->open = false;
    if ( start >= end || !in_segments(builder, start, end) )
        return;
    function = vector_add(&builder->functions);
    if ( !function )
    {
        builder->no_memory = true;
        return;
    }
    *function = (struct row_function){
        .start = start,
        .end = end,
        .order = (uint32_t)builder->functions.count,
        .first = (uint32_t)builder->raw.count};
    builder->open = true;
}

void row_builder_row(struct row_builder *builder, uint64_t address,
                     const struct row_rule *rule)
{
    struct row_function *function;
    struct raw_row *row;

    if ( !builder->open )
        return;
    function = &builder->functions.items[builder->functions.count - 1];
    if ( address >= function->end )
        return;
    if ( builder->raw.count == ROW_ROWS_MAX )
    {
        builder->too_many = true;
        return;
    }
    row = vector_add(&builder->raw);
    if ( !row || !put_rule(builder, rule, &row->number) )
    {
        builder->no_memory = true;
        return;
    }
    row->place = (uint32_t)(address - builder->base);
    function->count++;
}

bool row_builder_failed(const struct row_builder *builder)
{
    return builder->no_memory || builder->too_many;
}

void row_builder_root(struct row_builder *builder, uint64_t address,
                      uint64_t end)
{
    builder->root = address;
    builder->root_end = end;
}

/* The table in the making: rows are put one after another. */
struct table_layout {
    uint64_t base, at; /* up to where rows are said */
    uint32_t *first;
    uint16_t *address, *number;
    uint32_t pages, rows, current;
};

static void add_row(struct table_layout *layout, uint16_t address,
                    uint32_t number)
{
    layout->address[layout->rows] = address;
    layout->number[layout->rows++] = (uint16_t)number;
}

static void begin_pages(struct table_layout *layout, uint64_t until)
{
    while ( layout->pages < until )
    {
        layout->first[layout->pages++] = layout->rows;
        add_row(layout, 0, layout->current);
    }
}

/* Code from start on has this rule; start is not below what was put before. */
static void put_row(struct table_layout *layout, uint64_t start,
                    uint32_t number)
{
    uint64_t place = start - layout->base;

    begin_pages(layout, (place >> ROW_PAGE_SHIFT) + 1);
    if ( number == layout->current )
        return;
    layout->current = number;
    if ( layout->address[layout->rows - 1] == (uint16_t)place )
        layout->number[layout->rows - 1] = (uint16_t)number;
    else
        add_row(layout, (uint16_t)place, number);
}

/* Nothing is said of the code from where the layout is up to end. */
static void put_gap(struct table_layout *layout,
                    const struct row_builder *builder, uint64_t end)
{
    uint64_t from = builder->root > layout->at ? builder->root : layout->at;
    uint64_t to = builder->root_end < end ? builder->root_end : end;

    if ( layout->at >= end )
        return;
    put_row(layout, layout->at, NUMBER_NONE);
    if ( from < to )
    {
        put_row(layout, from, NUMBER_ROOT);
        if ( to < end )
            put_row(layout, to, NUMBER_NONE);
    }
    layout->at = end;
}

/* What of the function lies behind all that was said before. */
static void put_function(struct table_layout *layout,
                         const struct row_builder *builder,
                         const struct row_function *function)
{
    const struct raw_row *row = builder->raw.items + function->first;

    put_gap(layout, builder, function->start);
    if ( function->end <= layout->at )
        return;
    if ( !function->count || builder->base + row->place > layout->at )
        put_row(layout, layout->at, NUMBER_NONE);
    for ( uint32_t i = 0; i < function->count; i++, row++ )
    {
        uint64_t start = builder->base + row->place;
        bool hidden = i + 1 < function->count &&
                      builder->base + row[1].place <= layout->at;

        if ( !hidden )
            put_row(layout, start > layout->at ? start : layout->at,
                    row->number);
    }
    layout->at = function->end;
}

static int compare_functions(const void *left, const void *right)
{
    const struct row_function *a = left, *b = right;

    if ( a->start != b->start )
        return a->start < b->start ? -1 : 1;
    return a->order < b->order ? -1 : 1;
}

static struct row_table *pack(const struct row_builder *builder,
                              const struct table_layout *layout)
{
    const struct plain_rows plain = {
        .base = builder->base,
        .pages = layout->pages,
        .rows = layout->rows,
        .rules = (uint32_t)builder->rules.count,
        .segments = builder->segments,
        .segment = builder->segment,
        .first = layout->first,
        .address = layout->address,
        .number = layout->number,
        .rule = (const struct row_rule *)builder->rules.entries,
    };

    return row_pack(&plain);
}

struct row_table *row_builder_make(struct row_builder *builder)
{
    uint32_t pages = (uint32_t)((builder->end - builder->base) >>
                                ROW_PAGE_SHIFT);
    /* Each raw row is one at most, and so are a page's first row and what ends
     * a function or a root. */
    size_t room = builder->raw.count + pages + 2 * builder->functions.count + 4;
    struct table_layout layout = {.base = builder->base, .at = builder->base};
    struct row_table *ret = NULL;

    if ( builder->functions.count )
        qsort(builder->functions.items, builder->functions.count,
              sizeof(*builder->functions.items), compare_functions);
    layout.first = calloc(pages + 1ul, sizeof(*layout.first));
    layout.address = calloc(room, sizeof(*layout.address));
    layout.number = calloc(room, sizeof(*layout.number));
    if ( layout.first && layout.address && layout.number &&
         !row_builder_failed(builder) )
    {
        for ( size_t i = 0; i < builder->functions.count; i++ )
            put_function(&layout, builder, &builder->functions.items[i]);
        put_gap(&layout, builder, builder->end);
        begin_pages(&layout, pages);
        layout.first[layout.pages] = layout.rows;
        if ( layout.rows > ROW_ROWS_MAX )
            builder->too_many = true;
        else
            ret = pack(builder, &layout);
    }
    free(layout.number);
    free(layout.address);
    free(layout.first);
    return ret;
}

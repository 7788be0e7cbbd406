/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "firefox-tables.h"

#include "base/must.h"
#include "report/cells/own-cost.h"

#include <stdlib.h>

#define LIBRARY 1 /* a type of resource */

/* Of the same number from the end of the tables of stacks and of frames on. */
struct own_stack {
    struct {
        uint32_t stack;
    } key;
};

/* Of the colours that the format has names for. */
static const struct {
    const char *name, *colour;
} categories[FIREFOX_CATEGORIES] = {
    [FIREFOX_OTHER] = {"Other", "grey"},
    [FIREFOX_XEN] = {"Xen", "orange"},
    [FIREFOX_KERNEL] = {"Kernel", "blue"},
    [FIREFOX_USER] = {"User", "green"},
    [FIREFOX_PROFILER] = {"Profiler", "magenta"},
};

void firefox_tables_init(struct firefox_tables *tables,
                         const struct export_walk *walk)
{
    *tables = (struct firefox_tables){.walk = walk};
    names_init(&tables->texts);
    names_init(&tables->images);
    names_init(&tables->sources);
    table_init(&tables->own, sizeof(((struct own_stack *)0)->key),
               sizeof(struct own_stack));
}

void firefox_tables_free(struct firefox_tables *tables)
{
    names_free(&tables->texts);
    names_free(&tables->images);
    names_free(&tables->sources);
    table_free(&tables->own);
}

uint32_t firefox_text(struct firefox_tables *tables, const char *text)
{
    uint32_t number = 0;

    if ( *text )
        must_do(names_add(&tables->texts, text, &number));
    return number;
}

/* The walk's stack 0 is empty, and is nobody's. */
static uint32_t stack_number(uint32_t stack)
{
    return stack - 1;
}

uint32_t firefox_stack(struct firefox_tables *tables,
                       const struct walk_sample *sample)
{
    const struct export_walk *walk = tables->walk;
    const char *comm = names_text(&walk->loaded->names,
                                  cell_comm(sample->cell));
    const struct own_stack key = {.key = {sample->stack}};
    const struct own_stack *own;

    if ( !comm || !comm_is_own(comm) )
        return stack_number(sample->stack);
    own = must(table_put(&tables->own, &key.key));
    return stack_number((uint32_t)walk->stacks.count) +
           (uint32_t)table_index(&tables->own, own);
}

void firefox_put_text(struct json *json, const char *key, const char *text)
{
    json_key(json, key);
    json_string(json, text);
}

void firefox_put_number(struct json *json, const char *key, uint64_t number)
{
    json_key(json, key);
    json_u64(json, number);
}

void firefox_put_nulls(struct json *json, const char *key, size_t count)
{
    json_key(json, key);
    json_array_begin_flat(json);
    while ( count-- )
        json_null(json);
    json_array_end(json);
}

void firefox_put_same(struct json *json, const char *key, int64_t value,
                      size_t count)
{
    json_key(json, key);
    json_array_begin_flat(json);
    while ( count-- )
        json_i64(json, value);
    json_array_end(json);
}

static void put_false(struct json *json, const char *key, size_t count)
{
    json_key(json, key);
    json_array_begin_flat(json);
    while ( count-- )
        json_bool(json, false);
    json_array_end(json);
}

/* What the profiler's programs ran is of a category, too. */
static void put_subcategories(struct json *json, enum firefox_category category)
{
    const unsigned int count = category == FIREFOX_PROFILER ? FIREFOX_PROFILER
                                                            : 1;

    json_key(json, "subcategories");
    json_array_begin(json);
    for ( unsigned int i = 0; i < count; i++ )
        json_string(json, categories[i].name);
    json_array_end(json);
}

void firefox_put_categories(struct json *json)
{
    json_key(json, "categories");
    json_array_begin(json);
    for ( unsigned int i = 0; i < FIREFOX_CATEGORIES; i++ )
    {
        json_object_begin_flat(json);
        firefox_put_text(json, "name", categories[i].name);
        firefox_put_text(json, "color", categories[i].colour);
        put_subcategories(json, (enum firefox_category)i);
        json_object_end(json);
    }
    json_array_end(json);
}

static enum firefox_category category_of(const struct walk_function *function)
{
    if ( function->key.kind != FRAME_CODE &&
         function->key.kind != FRAME_UNKNOWN )
        return FIREFOX_OTHER;
    switch ( function->key.mode )
    {
    case XENOPROF_MODE_XEN: return FIREFOX_XEN;
    case XENOPROF_MODE_KERNEL: return FIREFOX_KERNEL;
    case XENOPROF_MODE_USER: return FIREFOX_USER;
    default: return FIREFOX_OTHER;
    }
}

static const struct walk_stack *own_stack_at(
    const struct firefox_tables *tables, size_t index)
{
    const struct own_stack *own = table_at(&tables->own, index);

    return &tables->walk->stacks.items[own->key.stack];
}

/* Puts a column of a table: a number for each row; WALK_NONE is as null. */
static void put_column(struct firefox_tables *tables, struct json *json,
                       const char *key, size_t count,
                       uint32_t (*value)(struct firefox_tables *tables,
                                         uint32_t row))
{
    json_key(json, key);
    json_array_begin_flat(json);
    for ( uint32_t i = 0; i < count; i++ )
    {
        const uint32_t number = value(tables, i);

        if ( number == WALK_NONE )
            json_null(json);
        else
            json_u64(json, number);
    }
    json_array_end(json);
}

/* The walk's stacks but the empty one, then own ones. */
static const struct walk_stack *stack_at(const struct firefox_tables *tables,
                                         uint32_t row)
{
    const struct export_walk *walk = tables->walk;
    const size_t known = walk->stacks.count - 1;

    return row < known ? &walk->stacks.items[row + 1]
                       : own_stack_at(tables, row - known);
}

/* Its frames are the walk's, then the leaves of own stacks. */
static uint32_t stack_frame(struct firefox_tables *tables, uint32_t row)
{
    const struct export_walk *walk = tables->walk;
    const size_t known = walk->stacks.count - 1;

    return row < known ? walk->stacks.items[row + 1].frame
                       : (uint32_t)(walk->frames.count + row - known);
}

static uint32_t stack_prefix(struct firefox_tables *tables, uint32_t row)
{
    const uint32_t caller = stack_at(tables, row)->caller;

    return caller == WALK_NONE ? WALK_NONE : stack_number(caller);
}

static void put_stacks(struct firefox_tables *tables, struct json *json)
{
    const size_t count = tables->walk->stacks.count - 1 + tables->own.count;

    json_key(json, "stackTable");
    json_object_begin(json);
    put_column(tables, json, "frame", count, stack_frame);
    put_column(tables, json, "prefix", count, stack_prefix);
    firefox_put_number(json, "length", count);
    json_object_end(json);
}

static bool is_own_frame(const struct firefox_tables *tables, uint32_t row)
{
    return row >= tables->walk->frames.count;
}

static const struct walk_frame *frame_at(const struct firefox_tables *tables,
                                         uint32_t row)
{
    const struct export_walk *walk = tables->walk;
    const size_t known = walk->frames.count;

    return &walk->frames
                .items[row < known ? row
                                   : own_stack_at(tables, row - known)->frame];
}

static uint32_t frame_function(struct firefox_tables *tables, uint32_t row)
{
    return frame_at(tables, row)->function;
}

static uint32_t mode_category(struct firefox_tables *tables, uint32_t row)
{
    return category_of(
        walk_function(tables->walk, frame_at(tables, row)->function));
}

static uint32_t frame_category(struct firefox_tables *tables, uint32_t row)
{
    return is_own_frame(tables, row) ? FIREFOX_PROFILER
                                     : mode_category(tables, row);
}

static uint32_t frame_subcategory(struct firefox_tables *tables, uint32_t row)
{
    return is_own_frame(tables, row) ? mode_category(tables, row) : 0;
}

static uint32_t frame_line(struct firefox_tables *tables, uint32_t row)
{
    const uint32_t line = frame_at(tables, row)->line;

    return line ? line : WALK_NONE;
}

/* Columns of frames that only code of other kinds has values in. */
static void put_empty_frame_columns(struct json *json, size_t count)
{
    firefox_put_same(json, "address", -1, count);
    firefox_put_same(json, "inlineDepth", 0, count);
    firefox_put_nulls(json, "nativeSymbol", count);
    firefox_put_nulls(json, "innerWindowID", count);
    firefox_put_nulls(json, "column", count);
    firefox_put_number(json, "length", count);
}

static void put_frames(struct firefox_tables *tables, struct json *json)
{
    const size_t count = tables->walk->frames.count + tables->own.count;

    json_key(json, "frameTable");
    json_object_begin(json);
    put_column(tables, json, "func", count, frame_function);
    put_column(tables, json, "category", count, frame_category);
    put_column(tables, json, "subcategory", count, frame_subcategory);
    put_column(tables, json, "line", count, frame_line);
    put_empty_frame_columns(json, count);
    json_object_end(json);
}

static uint32_t function_name(struct firefox_tables *tables, uint32_t row)
{
    return firefox_text(tables, walk_function(tables->walk, row)->name);
}

/* Returns the number of a text in names, from 0 on; WALK_NONE of "". */
static uint32_t number_in(struct names *names, const char *text)
{
    uint32_t number = 0;

    if ( *text )
        must_do(names_add(names, text, &number));
    return number - 1;
}

static uint32_t function_source(struct firefox_tables *tables, uint32_t row)
{
    return number_in(&tables->sources,
                     walk_function(tables->walk, row)->source);
}

/* Images are resources. */
static void put_functions(struct firefox_tables *tables, struct json *json)
{
    const size_t count = tables->walk->functions.count;

    json_key(json, "funcTable");
    json_object_begin(json);
    put_column(tables, json, "name", count, function_name);
    json_key(json, "resource");
    json_array_begin_flat(json);
    for ( uint32_t i = 0; i < count; i++ )
        json_i64(json,
                 (int32_t)number_in(&tables->images,
                                    walk_function(tables->walk, i)->image));
    json_array_end(json);
    put_false(json, "isJS", count);
    put_false(json, "relevantForJS", count);
    put_column(tables, json, "source", count, function_source);
    firefox_put_nulls(json, "lineNumber", count);
    firefox_put_nulls(json, "columnNumber", count);
    firefox_put_number(json, "length", count);
    json_object_end(json);
}

static uint32_t image_text(struct firefox_tables *tables, uint32_t row)
{
    return firefox_text(tables, names_text(&tables->images, row + 1));
}

static uint32_t source_text(struct firefox_tables *tables, uint32_t row)
{
    return firefox_text(tables, names_text(&tables->sources, row + 1));
}

static void put_resources(struct firefox_tables *tables, struct json *json)
{
    const size_t count = tables->images.count;

    json_key(json, "resourceTable");
    json_object_begin(json);
    put_column(tables, json, "name", count, image_text);
    firefox_put_nulls(json, "lib", count);
    firefox_put_nulls(json, "host", count);
    firefox_put_same(json, "type", LIBRARY, count);
    firefox_put_number(json, "length", count);
    json_object_end(json);
}

static void put_sources(struct firefox_tables *tables, struct json *json)
{
    const size_t count = tables->sources.count;

    json_key(json, "sources");
    json_object_begin(json);
    firefox_put_nulls(json, "uuid", count);
    put_column(tables, json, "filename", count, source_text);
    firefox_put_number(json, "length", count);
    json_object_end(json);
}

/* Code is named already, so nothing says where its symbols are. */
static void put_no_symbols(struct json *json)
{
    json_key(json, "nativeSymbols");
    json_object_begin_flat(json);
    firefox_put_nulls(json, "libIndex", 0);
    firefox_put_nulls(json, "address", 0);
    firefox_put_nulls(json, "name", 0);
    firefox_put_nulls(json, "functionSize", 0);
    firefox_put_number(json, "length", 0);
    json_object_end(json);
}

static void put_texts(const struct firefox_tables *tables, struct json *json)
{
    json_key(json, "stringArray");
    json_array_begin(json);
    json_string(json, "");
    for ( uint32_t i = 1; i <= tables->texts.count; i++ )
        json_string(json, names_text(&tables->texts, i));
    json_array_end(json);
}

void firefox_put_shared(struct firefox_tables *tables, struct json *json)
{
    json_key(json, "shared");
    json_object_begin(json);
    put_stacks(tables, json);
    put_frames(tables, json);
    put_functions(tables, json);
    put_resources(tables, json);
    put_no_symbols(json);
    put_sources(tables, json);
    put_texts(tables, json);
    json_object_end(json);
}

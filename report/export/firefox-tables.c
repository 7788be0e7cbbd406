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
    table_init(&tables->own, sizeof(((struct own_stack *)0)->key),
               sizeof(struct own_stack));
}

void firefox_tables_free(struct firefox_tables *tables)
{
    names_free(&tables->texts);
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

void firefox_put_categories(struct json *json)
{
    json_key(json, "categories");
    json_array_begin(json);
    for ( unsigned int i = 0; i < FIREFOX_CATEGORIES; i++ )
    {
        json_object_begin_flat(json);
        firefox_put_text(json, "name", categories[i].name);
        firefox_put_text(json, "color", categories[i].colour);
        json_key(json, "subcategories");
        json_array_begin(json);
        json_string(json, "Other");
        json_array_end(json);
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

/* Its frames are the walk's, then the leaves of own stacks. */
static void put_stacks(const struct firefox_tables *tables, struct json *json)
{
    const struct export_walk *walk = tables->walk;
    const size_t known = walk->stacks.count - 1;
    const size_t count = known + tables->own.count;

    json_key(json, "stackTable");
    json_object_begin(json);
    json_key(json, "frame");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < count; i++ )
        json_u64(json, i < known ? walk->stacks.items[i + 1].frame
                                 : walk->frames.count + i - known);
    json_array_end(json);
    json_key(json, "prefix");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < count; i++ )
    {
        const struct walk_stack *stack = i < known
                                             ? &walk->stacks.items[i + 1]
                                             : own_stack_at(tables, i - known);

        if ( stack->caller == WALK_NONE )
            json_null(json);
        else
            json_u64(json, stack_number(stack->caller));
    }
    json_array_end(json);
    firefox_put_number(json, "length", count);
    json_object_end(json);
}

/* Columns of frames that only code of other kinds has values in. */
static void put_empty_frame_columns(struct json *json, size_t count)
{
    firefox_put_same(json, "address", -1, count);
    firefox_put_same(json, "inlineDepth", 0, count);
    firefox_put_same(json, "subcategory", 0, count);
    firefox_put_nulls(json, "nativeSymbol", count);
    firefox_put_nulls(json, "innerWindowID", count);
    firefox_put_nulls(json, "line", count);
    firefox_put_nulls(json, "column", count);
    firefox_put_number(json, "length", count);
}

static void put_frames(const struct firefox_tables *tables, struct json *json)
{
    const struct export_walk *walk = tables->walk;
    const size_t own = tables->own.count;

    json_key(json, "frameTable");
    json_object_begin(json);
    json_key(json, "func");
    json_array_begin_flat(json);
    for ( size_t i = 0; i < walk->frames.count; i++ )
        json_u64(json, walk->frames.items[i].function);
    for ( size_t i = 0; i < own; i++ )
        json_u64(json,
                 walk->frames.items[own_stack_at(tables, i)->frame].function);
    json_array_end(json);
    json_key(json, "category");
    json_array_begin_flat(json);
    for ( uint32_t i = 0; i < walk->frames.count; i++ )
        json_u64(json, category_of(walk_frame_function(walk, i)));
    for ( size_t i = 0; i < own; i++ )
        json_u64(json, FIREFOX_PROFILER);
    json_array_end(json);
    put_empty_frame_columns(json, walk->frames.count + own);
    json_object_end(json);
}

/* Images are resources, numbered as they are in images. */
static void put_functions(struct firefox_tables *tables, struct names *images,
                          struct json *json)
{
    const struct export_walk *walk = tables->walk;
    const size_t count = walk->functions.count;

    json_key(json, "funcTable");
    json_object_begin(json);
    json_key(json, "name");
    json_array_begin_flat(json);
    for ( uint32_t i = 0; i < count; i++ )
        json_u64(json, firefox_text(tables, walk_function(walk, i)->name));
    json_array_end(json);
    json_key(json, "resource");
    json_array_begin_flat(json);
    for ( uint32_t i = 0; i < count; i++ )
    {
        const char *image = walk_function(walk, i)->image;
        uint32_t number = 0;

        if ( *image )
            must_do(names_add(images, image, &number));
        json_i64(json, (int64_t)number - 1);
    }
    json_array_end(json);
    put_false(json, "isJS", count);
    put_false(json, "relevantForJS", count);
    firefox_put_nulls(json, "source", count);
    firefox_put_nulls(json, "lineNumber", count);
    firefox_put_nulls(json, "columnNumber", count);
    firefox_put_number(json, "length", count);
    json_object_end(json);
}

static void put_resources(struct firefox_tables *tables,
                          const struct names *images, struct json *json)
{
    const size_t count = images->count;

    json_key(json, "resourceTable");
    json_object_begin(json);
    json_key(json, "name");
    json_array_begin_flat(json);
    for ( uint32_t i = 1; i <= count; i++ )
        json_u64(json, firefox_text(tables, names_text(images, i)));
    json_array_end(json);
    firefox_put_nulls(json, "lib", count);
    firefox_put_nulls(json, "host", count);
    firefox_put_same(json, "type", LIBRARY, count);
    firefox_put_number(json, "length", count);
    json_object_end(json);
}

/* Code is named already, so nothing says where its symbols are. */
static void put_empty_tables(struct json *json)
{
    json_key(json, "nativeSymbols");
    json_object_begin_flat(json);
    firefox_put_nulls(json, "libIndex", 0);
    firefox_put_nulls(json, "address", 0);
    firefox_put_nulls(json, "name", 0);
    firefox_put_nulls(json, "functionSize", 0);
    firefox_put_number(json, "length", 0);
    json_object_end(json);
    json_key(json, "sources");
    json_object_begin_flat(json);
    firefox_put_nulls(json, "uuid", 0);
    firefox_put_nulls(json, "filename", 0);
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
    struct names images;

    names_init(&images);
    json_key(json, "shared");
    json_object_begin(json);
    put_stacks(tables, json);
    put_frames(tables, json);
    put_functions(tables, &images, json);
    put_resources(tables, &images, json);
    put_empty_tables(json);
    put_texts(tables, json);
    json_object_end(json);
    names_free(&images);
}

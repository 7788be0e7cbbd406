/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Gathers the samples of functions by address. */
#include "hits.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/labels.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#define IMAGE_KERNEL "kernel"

/* A pattern and its parts. */
struct wanted {
    const char *whole;
    char *image;        /* NULL without a colon */
    const char *symbol; /* after the colon */
};

static bool symbol_matches(const char *pattern, const char *name,
                           const char *shorter)
{
    return !fnmatch(pattern, name, 0) || !fnmatch(pattern, shorter, 0);
}

static bool is_meant_cell(const struct wanted *wanted,
                          const struct loaded *loaded, const struct cell *cell)
{
    const char *symbol = names_text(&loaded->names, cell_name(cell)->symbol);
    const char *image = names_text(&loaded->names, cell_name(cell)->image);
    const char *shorter, *slash;

    if ( cell->dropped || cell_placeless(cell) || !symbol )
        return false;
    shorter = label_short_symbol(symbol);
    if ( symbol_matches(wanted->whole, symbol, shorter) )
        return true;
    if ( !wanted->image || !image )
        return false;
    slash = strrchr(image, '/');
    return symbol_matches(wanted->image, image, slash ? slash + 1 : image) &&
           symbol_matches(wanted->symbol, symbol, shorter);
}

/* The kernel itself is at the same distances in all who run it; its modules are
 * not. */
static struct hit_home home_of(const struct hits *hits,
                               const struct loaded *loaded,
                               const struct cell *cell)
{
    const char *image = names_text(&loaded->names, cell_name(cell)->image);

    if ( cell->key.mode == XENOPROF_MODE_XEN )
        return (struct hit_home){DOMAIN_INDEX_OTHER, 0};
    if ( cell->key.mode == XENOPROF_MODE_KERNEL && image &&
         cell_name(cell)->start && !strcmp(image, IMAGE_KERNEL) )
        return hits->homes[cell->key.domain];
    return (struct hit_home){cell->key.domain, 0};
}

static void add_part(struct hits *hits, const struct cell *cell,
                     const struct hit *hit)
{
    struct hit_part key, *part;

    memset(&key, 0, sizeof(key));
    key.key.address = hit->key.address;
    key.key.function = (uint32_t)hit->key.function;
    key.key.domain = cell->key.domain;
    part = must(table_put(&hits->parts, &key));
    part->samples += cell->samples;
    part->time += cell->time;
}

static void add_hit(struct hits *hits, const struct loaded *loaded,
                    const struct cell *cell, bool parts)
{
    struct hit_home home = home_of(hits, loaded, cell);
    struct function function_key, *function;
    struct hit_share share, *own;
    struct hit key, *hit;

    memset(&function_key, 0, sizeof(function_key));
    function_key.key.start = cell_name(cell)->start + home.shift;
    function_key.key.image = cell_name(cell)->image;
    function_key.key.symbol = cell_name(cell)->symbol;
    function_key.key.mode = cell->key.mode;
    function_key.key.domain = home.domain;
    function = must(table_put(&hits->functions, &function_key));
    function->samples += cell->samples;
    function->time += cell->time;
    memset(&share, 0, sizeof(share));
    share.key.function = (uint32_t)table_index(&hits->functions, function);
    share.key.domain = cell->key.domain;
    own = must(table_put(&hits->shares, &share));
    own->time += cell->time;
    memset(&key, 0, sizeof(key));
    key.key.address = cell_name(cell)->address + home.shift;
    key.key.function = table_index(&hits->functions, function);
    hit = must(table_put(&hits->addresses, &key));
    if ( cell_name(cell)->line )
    {
        hit->path = names_text(&loaded->names, cell_name(cell)->path);
        hit->line = cell_name(cell)->line;
    }
    hit->samples += cell->samples;
    hit->time += cell->time;
    hits->samples += cell->samples;
    hits->time += cell->time;
    if ( parts )
        add_part(hits, cell, hit);
}

static int compare_hits(const void *left, const void *right)
{
    const struct hit *a = *(const struct hit *const *)left;
    const struct hit *b = *(const struct hit *const *)right;

    if ( a->key.function != b->key.function )
        return a->key.function < b->key.function ? -1 : 1;
    return a->key.address < b->key.address ? -1
                                           : a->key.address > b->key.address;
}

static int compare_functions(const void *left, const void *right)
{
    const struct function *a = *(const struct function *const *)left;
    const struct function *b = *(const struct function *const *)right;

    if ( a->time != b->time )
        return a->time > b->time ? -1 : 1;
    if ( a->samples != b->samples )
        return a->samples > b->samples ? -1 : 1;
    return a < b ? -1 : a > b; /* in order of appearance */
}

static void sort_hits(struct hits *hits)
{
    hits->by_address = must(table_sorted(&hits->addresses, compare_hits));
    hits->sorted = must(table_sorted(&hits->functions, compare_functions));
    for ( size_t i = hits->addresses.count; i-- > 0; )
    {
        struct function *function = table_at(&hits->functions,
                                             hits->by_address[i]->key.function);

        function->hits = &hits->by_address[i];
        function->count++;
    }
}

static void gather_hits(struct hits *hits, const struct loaded *loaded,
                        const char *pattern, bool parts)
{
    const char *colon = strchr(pattern, ':');
    struct wanted wanted = {.whole = pattern};
    char *image SCOPE_FREE = NULL;

    memset(hits, 0, sizeof(*hits));
    table_init(&hits->functions, sizeof(((struct function *)0)->key),
               sizeof(struct function));
    table_init(&hits->addresses, sizeof(((struct hit *)0)->key),
               sizeof(struct hit));
    table_init(&hits->shares, sizeof(((struct hit_share *)0)->key),
               sizeof(struct hit_share));
    table_init(&hits->parts, sizeof(((struct hit_part *)0)->key),
               sizeof(struct hit_part));
    hits->homes = hit_homes(loaded);
    if ( colon )
    {
        image = must(strndup(pattern, (size_t)(colon - pattern)));
        wanted.image = image;
        wanted.symbol = colon + 1;
    }
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        hits->time_all += cell->time;
        if ( is_meant_cell(&wanted, loaded, cell) )
            add_hit(hits, loaded, cell, parts);
    }
    sort_hits(hits);
}

void hits_gather(struct hits *hits, const struct loaded *loaded,
                 const char *pattern)
{
    gather_hits(hits, loaded, pattern, false);
}

void hits_gather_parts(struct hits *hits, const struct loaded *loaded)
{
    gather_hits(hits, loaded, "*", true);
}

void hits_free(struct hits *hits)
{
    table_free(&hits->functions);
    table_free(&hits->addresses);
    table_free(&hits->shares);
    table_free(&hits->parts);
    free(hits->homes);
    free(hits->by_address);
    free(hits->sorted);
}

static const char *name_or_unknown(const struct loaded *loaded, uint32_t name)
{
    const char *text = names_text(&loaded->names, name);

    return text ? text : "?";
}

const char *function_symbol(const struct loaded *loaded,
                            const struct function *function)
{
    return name_or_unknown(loaded, function->key.symbol);
}

const char *function_image(const struct loaded *loaded,
                           const struct function *function)
{
    return name_or_unknown(loaded, function->key.image);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Has the functions of an image vote on where a file was loaded. */
#include "code-fit.h"

#include "base/must.h"
#include "report/model/labels.h"
#include "running.h"

#include <string.h>

/* A function of the same image with samples. */
struct neighbour {
    struct {
        uint64_t start;
        uint64_t symbol;
    } key;
};

/* The question to the neighbours: is the function this symbol? */
struct ballot {
    const struct loaded *loaded;
    const struct table *neighbours;
    const struct code_symbols *symbols;
    const struct code_symbol *at;
    uint64_t shift; /* from the file's addresses to the session's */
};

struct vote {
    size_t known; /* the file has a symbol of that name */
    size_t agree; /* and at the right address */
};

static bool is_neighbour(const struct function *function,
                         const struct cell *cell)
{
    return cell->key.mode == function->key.mode && cell_name(cell)->symbol &&
           cell_name(cell)->image == function->key.image &&
           cell_name(cell)->start &&
           (cell->key.mode == XENOPROF_MODE_XEN ||
            cell->key.domain == function->key.domain);
}

static const char *short_name(const struct loaded *loaded, uint64_t symbol)
{
    return label_short_symbol(names_text(&loaded->names, (uint32_t)symbol));
}

static void count_vote(const struct ballot *ballot,
                       const struct neighbour *neighbour, struct vote *vote)
{
    size_t count;
    const struct code_symbol *const *named = code_symbols_named(
        ballot->symbols, short_name(ballot->loaded, neighbour->key.symbol),
        &count);
    bool known = false, agree = false;

    for ( size_t i = 0; i < count; i++ )
    {
        if ( named[i]->section != ballot->at->section )
            continue;
        known = true;
        agree = agree ||
                named[i]->address + ballot->shift == neighbour->key.start;
    }
    vote->known += known;
    vote->agree += agree;
}

static enum code_fit choose_fit(struct ballot *ballot,
                                const struct function *function,
                                const struct code_symbol **ret)
{
    size_t count;
    const struct code_symbol *const *named = code_symbols_named(
        ballot->symbols, short_name(ballot->loaded, function->key.symbol),
        &count);
    struct vote best = {0, 0};

    if ( !count )
        return FIT_NO_SYMBOL;
    for ( size_t i = 0; i < count; i++ )
    {
        struct vote vote = {0, 0};

        ballot->at = named[i];
        ballot->shift = function->key.start - named[i]->address;
        /* Xen runs where it was linked. */
        if ( function->key.mode == XENOPROF_MODE_XEN && ballot->shift &&
             ballot->shift != XEN_BOOT_SHIFT )
            continue;
        for ( size_t j = 0; j < ballot->neighbours->count; j++ )
            count_vote(ballot, table_at(ballot->neighbours, j), &vote);
        if ( vote.agree <= best.agree )
            continue;
        best = vote;
        *ret = named[i];
    }
    return 2 * best.agree > best.known ? FIT_FOUND : FIT_ELSEWHERE;
}

enum code_fit code_fit(const struct loaded *loaded,
                       const struct function *function,
                       const struct code_symbols *symbols,
                       const struct code_symbol **ret)
{
    struct table neighbours;
    struct ballot ballot = {
        .loaded = loaded, .neighbours = &neighbours, .symbols = symbols};
    enum code_fit found;

    table_init(&neighbours, sizeof(((struct neighbour *)0)->key),
               sizeof(struct neighbour));
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);
        const struct neighbour key = {
            {cell_name(cell)->start, cell_name(cell)->symbol}};

        if ( is_neighbour(function, cell) )
            must(table_put(&neighbours, &key));
    }
    found = choose_fit(&ballot, function, ret);
    table_free(&neighbours);
    return found;
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recipes.h"

#include "pattern.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static const struct facts_recipe table[] = {
#define FACTS_RECIPE(name, function, pattern)                                  \
    {XENOPROF_FACT_##name, function, pattern},
#include "recipes.def"
#undef FACTS_RECIPE
};

enum recipe_state {
    RECIPE_WAITS, /* for facts that it speaks of */
    RECIPE_READY,
    RECIPE_DONE,
};

struct cook {
    struct code_tracer tracer;
    const struct facts_recipe *recipes;
    struct pattern *patterns;
    enum recipe_state *states;
    size_t count;
    struct facts_evidence *evidence;
};

const struct facts_recipe *facts_recipes(size_t *count)
{
    *count = sizeof(table) / sizeof(*table);

    return table;
}

static bool is_everywhere(const struct facts_recipe *recipe)
{
    return !strcmp(recipe->function, "*");
}

/* Parses what waits.  Returns how many recipes are ready now, or -EINVAL. */
static int prepare(struct cook *cook)
{
    struct xenoprof_facts known;
    int ready = 0;

    facts_evidence_settle(cook->evidence, &known);
    for ( size_t i = 0; i < cook->count; i++ )
    {
        int result;

        if ( cook->states[i] != RECIPE_WAITS )
            continue;
        result = pattern_parse(&cook->patterns[i], cook->recipes[i].pattern,
                               &known);
        if ( result == -EAGAIN )
            continue;
        if ( result )
            return result;
        cook->states[i] = RECIPE_READY;
        ready++;
    }

    return ready;
}

/* Matches one recipe against the function that was read last. */
static int taste(struct cook *cook, size_t recipe,
                 const struct xen_symbol *function)
{
    struct pattern_result result;

    pattern_match(&cook->patterns[recipe], &cook->tracer, &result);
    if ( !result.matches || result.contradicts )
        return 0;

    return facts_evidence_add(cook->evidence,
                              &(struct facts_statement){
                                  .fact = cook->recipes[recipe].fact,
                                  .value = result.offset,
                                  .function = function,
                                  .address = result.address,
                              });
}

/* A symbol that names code, the first of its address. */
static bool is_function(const struct xen_image *image, size_t i)
{
    const struct xen_symbol *symbol = &image->symbols[i];

    return (symbol->type == 't' || symbol->type == 'T') &&
           (!i || symbol[-1].address != symbol->address);
}

static int follow_everywhere(struct cook *cook)
{
    const struct xen_image *image = cook->tracer.image;
    int result = 0;

    for ( size_t i = 0; i < image->symbol_count && !result; i++ )
    {
        if ( !is_function(image, i) )
            continue;
        result = code_trace(&cook->tracer, &image->symbols[i]);
        if ( result == -ENOENT )
            result = 0;
        for ( size_t j = 0; j < cook->count && !result; j++ )
            if ( cook->states[j] == RECIPE_READY &&
                 is_everywhere(&cook->recipes[j]) )
                result = taste(cook, j, &image->symbols[i]);
    }

    return result;
}

static int follow_one(struct cook *cook, size_t recipe)
{
    const struct xen_symbol *function = xen_image_find(
        cook->tracer.image, cook->recipes[recipe].function);
    int result;

    if ( !function )
        return 0;
    result = code_trace(&cook->tracer, function);
    if ( result )
        return result == -ENOENT ? 0 : result;

    return taste(cook, recipe, function);
}

/* Follows all that are ready. */
static int follow_ready(struct cook *cook)
{
    bool everywhere = false;
    int result = 0;

    for ( size_t i = 0; i < cook->count && !result; i++ )
    {
        if ( cook->states[i] != RECIPE_READY )
            continue;
        if ( is_everywhere(&cook->recipes[i]) )
        {
            everywhere = true;
            continue;
        }
        result = follow_one(cook, i);
        cook->states[i] = RECIPE_DONE;
    }
    if ( everywhere && !result )
        result = follow_everywhere(cook);
    for ( size_t i = 0; i < cook->count; i++ )
        if ( cook->states[i] == RECIPE_READY )
            cook->states[i] = RECIPE_DONE;

    return result;
}

static int follow(struct cook *cook)
{
    int result;

    cook->patterns = calloc(cook->count, sizeof(*cook->patterns));
    cook->states = calloc(cook->count, sizeof(*cook->states));
    if ( !cook->patterns || !cook->states )
        return -ENOMEM;

    while ( (result = prepare(cook)) > 0 )
    {
        result = follow_ready(cook);
        if ( result )
            break;
    }

    return result;
}

int facts_follow_recipes(const struct xen_image *image,
                         const struct facts_recipe *recipes, size_t count,
                         struct facts_evidence *evidence)
{
    struct cook cook = {
        .recipes = recipes,
        .count = count,
        .evidence = evidence,
    };
    int result = code_tracer_open(&cook.tracer, image);

    if ( !result )
        result = follow(&cook);
    code_tracer_close(&cook.tracer);
    free(cook.patterns);
    free(cook.states);

    return result;
}

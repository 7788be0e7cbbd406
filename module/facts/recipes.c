/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Follows recipes in rounds, as some need facts that others find. */
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
    RECIPE_WAITS, /* for facts that its pattern names */
    RECIPE_READY,
    RECIPE_DONE,
};

struct recipe_run {
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

/* Parses the recipes that wait.  Returns how many became ready, or -EINVAL. */
static int prepare_recipes(struct recipe_run *run)
{
    struct xenoprof_facts known;
    int ready = 0;

    facts_evidence_settle(run->evidence, &known);
    for ( size_t i = 0; i < run->count; i++ )
    {
        int result;

        if ( run->states[i] != RECIPE_WAITS )
            continue;
        result = pattern_parse(&run->patterns[i], run->recipes[i].pattern,
                               &known);
        if ( result == -EAGAIN )
            continue;
        if ( result )
            return result;
        run->states[i] = RECIPE_READY;
        ready++;
    }

    return ready;
}

/* Matches one recipe against the function that was traced last. */
static int match_recipe(struct recipe_run *run, size_t recipe,
                        const struct xen_symbol *function)
{
    struct pattern_result result;

    pattern_match(&run->patterns[recipe], &run->tracer, &result);
    if ( !result.matches || result.contradicts )
        return 0;

    return facts_evidence_add(run->evidence,
                              &(struct facts_statement){
                                  .fact = run->recipes[recipe].fact,
                                  .value = result.offset,
                                  .function = function,
                                  .address = result.address,
                              });
}

/* Whether a symbol is code, and the first of its address. */
static bool is_function_symbol(const struct xen_image *image, size_t i)
{
    const struct xen_symbol *symbol = &image->symbols[i];

    return (symbol->type == 't' || symbol->type == 'T') &&
           (!i || symbol[-1].address != symbol->address);
}

static int follow_everywhere(struct recipe_run *run)
{
    const struct xen_image *image = run->tracer.image;
    int result = 0;

    for ( size_t i = 0; i < image->symbol_count && !result; i++ )
    {
        if ( !is_function_symbol(image, i) )
            continue;
        result = code_trace(&run->tracer, &image->symbols[i]);
        if ( result == -ENOENT )
            result = 0;
        for ( size_t j = 0; j < run->count && !result; j++ )
            if ( run->states[j] == RECIPE_READY &&
                 is_everywhere(&run->recipes[j]) )
                result = match_recipe(run, j, &image->symbols[i]);
    }

    return result;
}

static int follow_one(struct recipe_run *run, size_t recipe)
{
    const struct xen_symbol *function = xen_image_find(
        run->tracer.image, run->recipes[recipe].function);
    int result;

    if ( !function )
        return 0;
    result = code_trace(&run->tracer, function);
    if ( result )
        return result == -ENOENT ? 0 : result;

    return match_recipe(run, recipe, function);
}

/* Follows all recipes that are ready. */
static int follow_ready(struct recipe_run *run)
{
    bool everywhere = false;
    int result = 0;

    for ( size_t i = 0; i < run->count && !result; i++ )
    {
        if ( run->states[i] != RECIPE_READY )
            continue;
        if ( is_everywhere(&run->recipes[i]) )
        {
            everywhere = true;
            continue;
        }
        result = follow_one(run, i);
        run->states[i] = RECIPE_DONE;
    }
    if ( everywhere && !result )
        result = follow_everywhere(run);
    for ( size_t i = 0; i < run->count; i++ )
        if ( run->states[i] == RECIPE_READY )
            run->states[i] = RECIPE_DONE;

    return result;
}

static int follow_recipes(struct recipe_run *run)
{
    int result;

    run->patterns = calloc(run->count, sizeof(*run->patterns));
    run->states = calloc(run->count, sizeof(*run->states));
    if ( !run->patterns || !run->states )
        return -ENOMEM;

    while ( (result = prepare_recipes(run)) > 0 )
    {
        result = follow_ready(run);
        if ( result )
            break;
    }

    return result;
}

int facts_follow_recipes(const struct xen_image *image,
                         const struct facts_recipe *recipes, size_t count,
                         struct facts_evidence *evidence)
{
    struct recipe_run run = {
        .recipes = recipes,
        .count = count,
        .evidence = evidence,
    };
    int result = code_tracer_open(&run.tracer, image);

    if ( !result )
        result = follow_recipes(&run);
    code_tracer_close(&run.tracer);
    free(run.patterns);
    free(run.states);

    return result;
}

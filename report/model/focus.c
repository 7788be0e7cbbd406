/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "focus.h"

#include "base/must.h"
#include "frame-text.h"
#include "base/scope.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

static const char *const option_names[] = {
    [FOCUS_ON] = "--focus",
    [FOCUS_IGNORE] = "--ignore",
};

void focus_free(struct focus *focus)
{
    for ( size_t i = 0; i < focus->count; i++ )
    {
        regfree(&focus->items[i].regex);
        free(focus->items[i].text);
    }
    vector_free(focus);
}

enum exit_status focus_add(struct focus *focus, enum focus_kind kind,
                           const char *text, struct failure *failure)
{
    char *copy SCOPE_FREE = must(strdup(text));
    struct focus_pattern *pattern;
    char why[128];
    int code;

    must_do(vector_reserve(focus, 1));
    pattern = &focus->items[focus->count];
    code = regcomp(&pattern->regex, text, REG_EXTENDED | REG_NOSUB);
    if ( !code )
    {
        pattern->kind = kind;
        pattern->text = copy;
        copy = NULL;
        focus->count++;
        return STATUS_DONE;
    }
    regerror(code, &pattern->regex, why, sizeof(why));
    return fail(failure, STATUS_USAGE,
                "%s: \"%s\" is not an extended regular expression (%s): give "
                "one as grep -E takes it",
                option_names[kind], text, why);
}

/* "arch/x86/mm.c#get_page" is found as that and as "get_page". */
static bool frame_matches(const struct frame_texts *texts,
                          const struct focus_pattern *pattern,
                          const struct frame *frame)
{
    const char *whole = names_text(&texts->loaded->names, frame->key.symbol);
    char *text SCOPE_FREE = frame_symbol(texts, frame);

    return !regexec(&pattern->regex, text, 0, NULL, 0) ||
           (whole && !regexec(&pattern->regex, whole, 0, NULL, 0));
}

static void apply_pattern(const struct frame_texts *texts,
                          const struct focus_pattern *pattern, bool *dropped)
{
    const struct stacks *stacks = texts->stacks;
    bool *matches SCOPE_FREE = must(
        calloc(stacks->frames.count + 1, sizeof(*matches)));
    bool *has SCOPE_FREE = must(calloc(stacks->chains.count, sizeof(*has)));

    for ( size_t i = 0; i < stacks->frames.count; i++ )
        matches[i] = frame_matches(texts, pattern,
                                   stacks_frame(stacks, (uint32_t)i));
    /* Chains with a frame that matches: with it, or a parent with it. */
    for ( size_t i = CHAIN_EMPTY + 1; i < stacks->chains.count; i++ )
    {
        const struct chain *chain = stacks_chain(stacks, (uint32_t)i);

        has[i] = matches[chain->key.frame] || has[chain->key.parent];
    }
    for ( size_t i = 0; i < stacks->chains.count; i++ )
        dropped[i] |= has[i] == (pattern->kind == FOCUS_IGNORE);
}

void focus_apply(const struct focus *focus, struct loaded *loaded,
                 const struct stacks *stacks)
{
    struct frame_texts texts;
    bool *dropped SCOPE_FREE = NULL;

    if ( !focus->count )
        return;
    dropped = must(calloc(stacks->chains.count, sizeof(*dropped)));
    frame_texts_init(&texts, loaded, stacks);
    for ( size_t i = 0; i < focus->count; i++ )
        apply_pattern(&texts, &focus->items[i], dropped);
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);

        cell->dropped |= dropped[cell->chain];
    }
    frame_texts_free(&texts);
}

static bool wants(const struct focus *focus)
{
    for ( size_t i = 0; i < focus->count; i++ )
        if ( focus->items[i].kind == FOCUS_ON )
            return true;
    return false;
}

enum exit_status focus_expect(const struct focus *focus,
                              const struct loaded *loaded,
                              struct failure *failure)
{
    bool any = false;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);
        const bool has = cell->samples || (cell->time && !cell_placeless(cell));

        if ( !cell->dropped && has )
            return STATUS_DONE;
        any = any || has;
    }
    if ( !focus->count || !any )
        return STATUS_DONE;
    if ( !wants(focus) )
        return fail(failure, STATUS_NO_SYMBOL,
                    "--ignore: each stack has a function that matches, so "
                    "nothing is left: xenopreport --children "
                    "--percent-limit=0 lists all functions");
    return fail(failure, STATUS_NO_SYMBOL,
                "--focus: no stack has a function that matches: "
                "xenopreport --children --percent-limit=0 lists all functions");
}

/* A beginning of stacks, root first. */
struct beginning {
    char *text; /* the patterns, each with its end */
    struct {
        VECTOR(const char *);
    } patterns;
};

static void begin_with(struct beginning *beginning, const char *text)
{
    char *from = must(strdup(text));

    *beginning = (struct beginning){.text = from};
    while ( from )
    {
        const char *pattern = from;

        from = strchr(from, ';');
        if ( from )
            *from++ = '\0';
        *(const char **)must(vector_add(&beginning->patterns)) = pattern;
    }
}

static bool frame_fits(const struct frame_texts *texts, const char *pattern,
                       const struct frame *frame)
{
    const char *whole = names_text(&texts->loaded->names, frame->key.symbol);
    char *text SCOPE_FREE = frame_symbol(texts, frame);

    return !fnmatch(pattern, text, 0) || (whole && !fnmatch(pattern, whole, 0));
}

/* Chains that have it: with its last function as their leaf, or a parent that
 * does.  Parents come first. */
static void mark_beneath(const struct frame_texts *texts,
                         const struct beginning *beginning, bool *has)
{
    const struct stacks *stacks = texts->stacks;
    bool *fits SCOPE_FREE = must(calloc(stacks->chains.count, sizeof(*fits)));

    fits[CHAIN_EMPTY] = true;
    for ( size_t i = CHAIN_EMPTY + 1; i < stacks->chains.count; i++ )
    {
        const struct chain *chain = stacks_chain(stacks, (uint32_t)i);
        const size_t at = chain->count - 1;

        if ( at < beginning->patterns.count && fits[chain->key.parent] )
            fits[i] = frame_fits(texts, beginning->patterns.items[at],
                                 stacks_frame(stacks, chain->key.frame));
        has[i] |= has[chain->key.parent] ||
                  (fits[i] && chain->count == beginning->patterns.count);
    }
}

void focus_beneath(const struct filter *filter, struct loaded *loaded,
                   const struct stacks *stacks)
{
    bool *has SCOPE_FREE = must(calloc(stacks->chains.count, sizeof(*has)));
    struct frame_texts texts;

    frame_texts_init(&texts, loaded, stacks);
    for ( size_t i = 0; i < filter->count; i++ )
    {
        struct beginning beginning;

        begin_with(&beginning, filter->items[i].text);
        mark_beneath(&texts, &beginning, has);
        vector_free(&beginning.patterns);
        free(beginning.text);
    }
    frame_texts_free(&texts);
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        struct cell *cell = table_at(&loaded->cells, i);

        cell->beneath = has[cell->chain];
    }
}

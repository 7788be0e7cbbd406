/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "browse-place.h"

#include "base/must.h"
#include "base/scope.h"
#include "report/model/format.h"

#include <stdlib.h>
#include <string.h>

const struct browse_form_row browse_forms[BROWSE_FORMS] = {
#define BROWSE_FORM(name, kind, title) {KIND_##kind, title},
#include "browse-forms.def"
#undef BROWSE_FORM
};

struct browse_place browse_place_copy(const struct browse_place *place)
{
    return (struct browse_place){
        .form = place->form,
        .symbol = place->symbol ? must(strdup(place->symbol)) : NULL,
        .selection = selection_copy(&place->selection),
    };
}

void browse_place_free(struct browse_place *place)
{
    free(place->symbol);
    free(place->open);
    selection_free(&place->selection);
}

void browse_back_push(struct browse_back *back, struct browse_place place)
{
    struct browse_place *added;

    if ( back->count == BROWSE_BACK_MOST )
    {
        browse_place_free(&back->items[0]);
        memmove(back->items, back->items + 1,
                --back->count * sizeof(*back->items));
    }
    added = must(vector_add(back));
    *added = place;
}

bool browse_back_pop(struct browse_back *back, struct browse_place *ret)
{
    if ( !back->count )
        return false;
    *ret = back->items[--back->count];
    return true;
}

void browse_back_free(struct browse_back *back)
{
    for ( size_t i = 0; i < back->count; i++ )
        browse_place_free(&back->items[i]);
    vector_free(back);
}

static bool form_reads_code(enum browse_form form)
{
    return form == BROWSE_annotate;
}

static bool form_has_lines(enum browse_form form)
{
    return !browse_form_is_text(form);
}

/* Options that a place says itself, or that are not for its form, and whether
 * the next word is their argument if there is no '='. */
static const struct {
    const char *option;
    bool argument;
    bool (*kept)(enum browse_form form); /* NULL: never */
} own_options[] = {
    {"--browse", false, NULL},
    {"--filter", true, NULL},
    {"-f", true, NULL},
    {"--last", true, NULL},
    {"--code", true, form_reads_code},
    {"--lines", false, form_has_lines},
};

/* Returns how many words at the front are left out. */
static size_t own_words(enum browse_form form, const char *const *words)
{
    for ( size_t i = 0; i < sizeof(own_options) / sizeof(*own_options); i++ )
    {
        const char *option = own_options[i].option;
        const size_t length = strlen(option);

        if ( strncmp(words[0], option, length) ||
             (own_options[i].kept && own_options[i].kept(form)) )
            continue;
        if ( !words[0][length] )
            return own_options[i].argument && words[1] ? 2 : 1;
        /* -fVALUE, too. */
        if ( words[0][length] == '=' || option[1] != '-' )
            return 1;
    }
    return 0;
}

/* As a shell reads it as one word. */
static void put_word(const char *word, FILE *file)
{
    static const char plain[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
        "-_=+:,./@%";

    fputc(' ', file);
    if ( *word && word[strspn(word, plain)] == '\0' )
    {
        fputs(word, file);
        return;
    }
    fputc('\'', file);
    for ( ; *word; word++ )
        if ( *word == '\'' )
            fputs("'\\''", file);
        else
            fputc(*word, file);
    fputc('\'', file);
}

char *browse_command(const struct browse_place *place, const struct view *view,
                     const char *const *words)
{
    char *text = NULL;
    size_t size;
    FILE *file = must(open_memstream(&text, &size));

    fputs("xenopreport", file);
    while ( *words )
    {
        const size_t own = own_words(place->form, words);

        if ( !own )
            put_word(*words, file);
        words += own ? own : 1;
    }
    for ( unsigned int key = 0; key < FILTERS; key++ )
    {
        char *value SCOPE_FREE = NULL, *option SCOPE_FREE = NULL;

        if ( !place->selection.filters[key].count )
            continue;
        value = selection_option(&place->selection, (enum filter_key)key);
        option = must_text("--filter=%s", value);
        put_word(option, file);
    }
    if ( view->option )
    {
        char *form SCOPE_FREE = place->symbol
                                    ? must_text("--%s=%s", view->option,
                                                place->symbol)
                                    : must_text("--%s", view->option);

        put_word(form, file);
    }
    return format_close(file, &text);
}

/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "no-match.h"

#include "base/must.h"
#include "base/nearest.h"
#include "base/scope.h"
#include "report/model/format.h"
#include "report/model/profile.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define VALUES_SHOWN 8u

bool selection_is_empty(const struct loaded *loaded,
                        const struct selection *selection)
{
    if ( !loaded->read || !selection_filters(selection) )
        return false;
    for ( size_t i = 0; i < loaded->cells.count; i++ )
    {
        const struct cell *cell = table_at(&loaded->cells, i);

        if ( !cell->dropped && (cell->samples || cell->time) )
            return false;
    }
    return true;
}

/* A key that no sample matches, whatever the others say; FILTERS: each has
 * some. */
static enum filter_key find_key(const struct loaded *loaded,
                                const struct selection *selection)
{
    for ( unsigned int key = 0; key < FILTERS; key++ )
    {
        bool any = !selection->filters[key].count;

        for ( size_t i = 0; i < loaded->cells.count && !any; i++ )
            any = selection_takes(selection, loaded,
                                  table_at(&loaded->cells, i),
                                  (enum filter_key)key);
        if ( !any )
            return (enum filter_key)key;
    }
    return FILTERS;
}

static enum exit_status fail_time(const struct loaded *loaded, const char *what,
                                  struct failure *failure)
{
    char length[CLOCK_TEXT];

    clock_format_length(loaded_since(loaded, loaded->last), length);
    return fail(failure, STATUS_NO_SYMBOL,
                "no sample is of %s: the session is %s long", what, length);
}

/* "pCPUs 0..3"; "" if there is none. */
static char *matched_numbers(const struct profile *values, enum label label)
{
    const char *name = label == LABEL_VCPU ? "vCPU" : "pCPU";
    uint64_t low = LABEL_NONE, high = 0;

    for ( size_t i = 0; i < values->count; i++ )
    {
        const uint64_t value = values->sorted[i]->key.value[label];

        if ( value == LABEL_NONE )
            continue;
        low = value < low ? value : low;
        high = value > high ? value : high;
    }
    if ( low == high )
        return must_text("%s %" PRIu64, name, low);
    return low > high ? must(strdup(""))
                      : must_text("%ss %" PRIu64 "..%" PRIu64, name, low, high);
}

/* "nginx, sshd and 3 more", those with most time first; "" if there is none. */
static char *matched_names(const struct loaded *loaded,
                           const struct profile *values, enum label label)
{
    char *text = NULL;
    size_t size, shown = 0, more = 0;
    FILE *file = must(open_memstream(&text, &size));

    for ( size_t i = 0; i < values->count; i++ )
    {
        const uint64_t value = values->sorted[i]->key.value[label];
        char *name SCOPE_FREE = value == LABEL_NONE
                                    ? NULL
                                    : label_text(loaded, label, value,
                                                 LABEL_NONE);

        if ( name && shown < VALUES_SHOWN )
            fprintf(file, "%s%s", shown++ ? ", " : "", name);
        else
            more += name != NULL;
    }
    if ( more )
        fprintf(file, " and %zu more (--sort=%s lists them)", more,
                label_name(label));
    return format_close(file, &text);
}

/* The value that was meant, as far as one is like it; malloc'ed, or NULL. */
static char *meant_text(const struct loaded *loaded,
                        const struct profile *values, enum label label,
                        const char *word)
{
    struct nearest nearest = {.word = word};
    char *meant = NULL;

    for ( size_t i = 0; i < values->count; i++ )
    {
        const uint64_t value = values->sorted[i]->key.value[label];
        char *name SCOPE_FREE = value == LABEL_NONE
                                    ? NULL
                                    : label_text(loaded, label, value,
                                                 LABEL_NONE);
        const char *before = nearest.name;

        if ( !name )
            continue;
        nearest_offer(&nearest, label_short_symbol(name));
        if ( nearest.name == before )
            continue;
        free(meant);
        meant = must(strdup(nearest.name));
        nearest.name = meant;
    }
    return meant;
}

static enum exit_status fail_key(const struct loaded *loaded, const char *what,
                                 enum label label, const char *word,
                                 struct failure *failure)
{
    const struct label_list labels = {.label = {label}, .count = 1};
    struct profile values;
    bool cpu = label == LABEL_VCPU || label == LABEL_PCPU;
    char *meant SCOPE_FREE = NULL;
    char *text SCOPE_FREE = NULL;

    profile_build(&values, loaded, &labels);
    meant = meant_text(loaded, &values, label, word);
    text = cpu ? matched_numbers(&values, label)
               : matched_names(loaded, &values, label);
    profile_free(&values);
    if ( !*text )
        return fail(failure, STATUS_NO_SYMBOL,
                    "no sample has %s: the session says of none which %s it "
                    "has",
                    what, label_name(label));
    if ( meant )
        return fail(failure, STATUS_NO_SYMBOL,
                    "no sample has %s; did you mean %s?", what, meant);
    return fail(failure, STATUS_NO_SYMBOL,
                "no sample has %s: the session has %s", what, text);
}

enum exit_status part_expect(const struct loaded *loaded, const char *option,
                             const char *part, struct failure *failure)
{
    char *what SCOPE_FREE = NULL;

    for ( size_t i = 0; i < loaded->cells.count; i++ )
        if ( ((const struct cell *)table_at(&loaded->cells, i))->samples )
            return STATUS_DONE;
    what = must_text("%s=%s", option, part);
    return fail_time(loaded, what, failure);
}

enum exit_status selection_fail_empty(struct loaded *loaded,
                                      const struct selection *selection,
                                      struct failure *failure)
{
    const enum filter_key key = find_key(loaded, selection);
    struct selection alone = {.range = selection->range};
    char *what SCOPE_FREE = NULL;
    size_t size;
    FILE *file = must(open_memstream(&what, &size));
    struct label_list labels;

    if ( key < FILTERS )
        alone.filters[key] = selection->filters[key];
    selection_print(key < FILTERS ? &alone : selection, file);
    fclose(file);
    for ( size_t i = 0; i < loaded->cells.count; i++ )
        ((struct cell *)table_at(&loaded->cells, i))->dropped = false;
    if ( key == FILTERS )
        return fail(failure, STATUS_NO_SYMBOL,
                    "no sample has all of %s: leave one of them out", what);
    if ( key == FILTER_TIME )
        return fail_time(loaded, what, failure);
    if ( key == FILTER_REASON )
        return fail(failure, STATUS_NO_SYMBOL,
                    "no sample has %s: xenopreport --why lists the reasons of "
                    "this session",
                    what);
    if ( key == FILTER_STACK )
        return fail(failure, STATUS_NO_SYMBOL,
                    "no call chain begins so, %s: xenopreport --callgraph "
                    "--percent-limit=0 shows all of them",
                    what);
    if ( label_list_parse(selection_key_name(key), &labels, failure) )
        return failure->status;
    return fail_key(loaded, what, labels.label[0],
                    selection->filters[key].items[0].text, failure);
}

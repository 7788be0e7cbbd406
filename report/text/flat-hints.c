/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "flat-hints.h"

#include "report/model/domains.h"
#include "flat-rows.h"
#include "text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#define ADDRESSES_FEW 10u /* so many without a name are no reason to tell */
#define DOMAINS_TOLD  5u

#define PLAIN                                                                  \
    "abcdefghijklmnopqrstuvwxyz"                                               \
    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"

/* Addresses in the kernel of each domain, by its index, without a name. */
static size_t *count_unnamed(const struct loaded *loaded,
                             const struct profile *profile)
{
    size_t *counts = calloc(loaded->domains.count, sizeof(*counts));

    for ( size_t i = 0; counts && i < profile->count; i++ )
    {
        const struct row_key *key = &profile->sorted[i]->key;

        if ( key->value[LABEL_MODE] == XENOPROF_MODE_KERNEL &&
             key->unnamed != LABEL_NONE )
            counts[key->value[LABEL_DOMAIN]]++;
    }
    return counts;
}

/* As --guest-kernel takes it, with nothing that a shell would read. */
static char *option_domain(const struct loaded *loaded, uint32_t index)
{
    const struct loaded_domain *domain = loaded_domain(loaded, index);
    const char *name = names_text(&loaded->names, domain->name);

    if ( name && *name && *name != '-' && !name[strspn(name, PLAIN)] )
        return strdup(name);
    return format_text("%" PRId32, domain_number(domain));
}

static bool show_hint(const struct loaded *loaded, uint32_t index, size_t count,
                      FILE *file)
{
    char *text = domain_text(loaded, index);
    char *clean = text ? text_clean(text) : NULL;
    char *option = option_domain(loaded, index);
    bool done = clean && option;

    if ( done )
        fprintf(file,
                "%s: %zu addresses of its kernel have no names; give "
                "--guest-kernel=%s:FILE\n",
                clean, count, option);
    free(text);
    free(clean);
    free(option);
    return done;
}

static bool show_hints(const struct loaded *loaded, const size_t *counts,
                       FILE *file)
{
    size_t found = 0;

    for ( uint32_t i = 0; i < loaded->domains.count; i++ )
    {
        if ( counts[i] <= ADDRESSES_FEW )
            continue;
        if ( !found )
            fputc('\n', file);
        if ( found++ < DOMAINS_TOLD && !show_hint(loaded, i, counts[i], file) )
            return false;
    }
    if ( found > DOMAINS_TOLD )
        fprintf(file, "(the same is true of %zu more domains)\n",
                found - DOMAINS_TOLD);
    return true;
}

/* A table says where; why is in the stacks. */
static void show_stacks(const struct report *report, FILE *file)
{
    struct stack_counts counts = loaded_stacks(report->loaded);

    if ( counts.callers && !report->query->sort_given )
        fprintf(file,
                "\n%" PRIu64 " of %" PRIu64
                " samples have callers; --callgraph shows who called whom\n",
                counts.callers, counts.samples);
}

bool flat_hints(const struct report *report, FILE *file)
{
    static const struct label_list labels = {
        .label = {LABEL_DOMAIN, LABEL_MODE, LABEL_SYMBOL}, .count = 3};
    struct profile profile;
    size_t *counts = NULL;
    bool done = true;

    if ( !label_list_has(&report->query->sort, LABEL_SYMBOL) )
        return true;
    show_stacks(report, file);
    if ( profile_build(&profile, report->loaded, &labels) )
        counts = count_unnamed(report->loaded, &profile);
    done = counts && show_hints(report->loaded, counts, file);
    free(counts);
    profile_free(&profile);
    return done;
}

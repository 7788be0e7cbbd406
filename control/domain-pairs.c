/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Kept as given, and matched with domains. */
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include "domain-pairs.h"
#include "protocol.h"

void domain_pairs_free(struct domain_pairs *pairs)
{
    for ( unsigned int i = 0; i < pairs->count; i++ )
        free(pairs->texts[i]);
    *pairs = (struct domain_pairs){0};
}

int domain_pairs_add(struct domain_pairs *pairs, const char *option,
                     const char *text, struct failure *failure)
{
    if ( pairs->count == DOMAIN_PAIRS_MAX )
        return fail(failure, STATUS_RANGE,
                    "--%s can be given at most %u times; a name with * stands "
                    "for many domains",
                    option, DOMAIN_PAIRS_MAX);
    pairs->texts[pairs->count] = strdup(text);
    if ( !pairs->texts[pairs->count] )
        return fail_memory(failure);
    pairs->count++;
    return 0;
}

const char *domain_pair_value(const char *text,
                              const struct listed_domain *domain)
{
    const char *colon = strchr(text, ':');
    char pattern[DOMAIN_NAME_MAX], number[8];

    if ( !colon )
        return NULL;
    snprintf(pattern, sizeof(pattern), "%.*s", (int)(colon - text), text);
    snprintf(number, sizeof(number), "%u", domain->id);
    if ( strcmp(pattern, number) == 0 ||
         (domain->name[0] && fnmatch(pattern, domain->name, 0) == 0) )
        return colon + 1;
    return NULL;
}

const char *domain_pairs_find(const struct domain_pairs *pairs,
                              const struct listed_domain *domain)
{
    const char *value = NULL;

    for ( unsigned int i = 0; i < pairs->count && !value; i++ )
        value = domain_pair_value(pairs->texts[i], domain);
    return value;
}

void domain_pairs_put(const struct domain_pairs *pairs, const char *option,
                      FILE *file)
{
    for ( unsigned int i = 0; i < pairs->count; i++ )
        line_text(file, option, pairs->texts[i]);
}

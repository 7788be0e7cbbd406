/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <string.h>

#include "label-choices.h"

static const char *const words[] = {
    [LABELS_NONE] = "none",
    [LABELS_PID] = "pid",
    [LABELS_COMM] = "comm",
    [LABELS_ALL] = "all",
};

#define CHOICES (sizeof(words) / sizeof(words[0]))

/* Returns CHOICES if it is none of them. */
static enum label_choice read_choice(const char *word)
{
    size_t choice = 0;

    while ( choice < CHOICES && strcmp(words[choice], word) )
        choice++;
    return (enum label_choice)choice;
}

/* What is behind the domain, if there is one. */
static const char *choice_word(const char *text)
{
    const char *colon = strchr(text, ':');

    return colon ? colon + 1 : text;
}

int label_choices_add(struct domain_pairs *choices, const char *option,
                      const char *text, struct failure *failure)
{
    const char *word = choice_word(text);

    if ( read_choice(word) == CHOICES || *text == ':' )
        return fail(failure, STATUS_USAGE,
                    "--%s=%s: use none, pid, comm or all, or one of these "
                    "behind a domain's number or name and a colon, as in "
                    "web:all",
                    option, text);
    if ( word - text > DOMAIN_NAME_MAX )
        return fail(failure, STATUS_RANGE, "--%s=%s is too long", option, text);
    return domain_pairs_add(choices, option, text, failure);
}

/* What is for all domains, the last one, or the usual. */
static enum label_choice for_all(const struct domain_pairs *choices,
                                 enum label_choice usual)
{
    enum label_choice ret = usual;

    for ( unsigned int i = 0; i < choices->count; i++ )
        if ( !strchr(choices->texts[i], ':') )
            ret = read_choice(choices->texts[i]);
    return ret;
}

static enum label_choice least_choice(const struct domain_pairs *choices,
                                      enum label_choice ret)
{
    for ( unsigned int i = 0; i < choices->count; i++ )
    {
        enum label_choice choice = read_choice(choice_word(choices->texts[i]));

        if ( strchr(choices->texts[i], ':') && choice < ret )
            ret = choice;
    }
    return ret;
}

enum label_choice label_choices_find(const struct domain_pairs *choices,
                                     const struct listed_domain *domain,
                                     enum label_choice usual)
{
    const char *value = domain_pairs_find(choices, domain);
    enum label_choice others = for_all(choices, usual);

    if ( value )
        return read_choice(value);
    return domain->name[0] ? others : least_choice(choices, others);
}

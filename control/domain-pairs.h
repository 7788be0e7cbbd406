/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a user gave for some domains, as in --guest-kernel=DOM:FILE,
 * --guest-root=DOM:PATH and --labels=DOM:WORD.  DOM is a domain's number, or a
 * name in which * and ? match any characters.
 */
#ifndef XENOPROF_CONTROL_DOMAIN_PAIRS_H
#define XENOPROF_CONTROL_DOMAIN_PAIRS_H

#include <stdio.h>

#include "domain-list.h"
#include "base/failure.h"

#define DOMAIN_PAIRS_MAX 16u

struct domain_pairs {
    char *texts[DOMAIN_PAIRS_MAX]; /* as given, malloc'ed */
    unsigned int count;
};

void domain_pairs_free(struct domain_pairs *pairs);

/* Adds what the option of that name was given; the caller has seen that it is
 * right. Returns 0 or STATUS_RANGE. */
int domain_pairs_add(struct domain_pairs *pairs, const char *option,
                     const char *text, struct failure *failure);

/* Returns what is behind the colon of a pair if its domain is this one, else
 * NULL. */
const char *domain_pair_value(const char *text,
                              const struct listed_domain *domain);

/* Returns the value of the first pair that matches domain, or NULL. */
const char *domain_pairs_find(const struct domain_pairs *pairs,
                              const struct listed_domain *domain);

/* Writes each pair as a field of a line (protocol.h). */
void domain_pairs_put(const struct domain_pairs *pairs, const char *option,
                      FILE *file);

#endif

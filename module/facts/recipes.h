/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts out of the machine code of functions that are known to use a field. */
#ifndef XENOPROF_MODULE_FACTS_RECIPES_H
#define XENOPROF_MODULE_FACTS_RECIPES_H

#include "evidence.h"

/* A line of recipes.def; function "*" is every function there is. */
struct facts_recipe {
    enum xenoprof_fact fact;
    const char *function;
    const char *pattern; /* see pattern.h */
};

/* All recipes, count of them in *count. */
const struct facts_recipe *facts_recipes(size_t *count);

/*
 * Adds what the functions of an image say.  Recipes that speak of other facts
 * wait until those are settled.  A function that is missing, that does not
 * match or that says two things at once adds nothing.
 *
 * Returns 0; -ENOMEM; -ENOSYS: capstone cannot decode x86; -EINVAL: a recipe
 * is misspelt.
 */
int facts_follow_recipes(const struct xen_image *image,
                         const struct facts_recipe *recipes, size_t count,
                         struct facts_evidence *evidence);

#endif /* XENOPROF_MODULE_FACTS_RECIPES_H */

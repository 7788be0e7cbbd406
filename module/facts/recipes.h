/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts from the machine code of functions that are known to use a field. */
#ifndef XENOPROF_MODULE_FACTS_RECIPES_H
#define XENOPROF_MODULE_FACTS_RECIPES_H

#include "evidence.h"

/* A line of recipes.def; function "*" is every function. */
struct facts_recipe {
    enum xenoprof_fact fact;
    const char *function;
    const char *pattern; /* see pattern.h */
};

/* Returns all recipes, and their number in *count. */
const struct facts_recipe *facts_recipes(size_t *count);

/*
 * Adds what the functions of an image state.  Recipes that name other facts
 * wait until those are settled.  A function that is missing, does not match or
 * contradicts itself adds nothing.
 *
 * Returns 0, -ENOMEM, -ENOSYS if capstone cannot decode x86, or -EINVAL if a
 * recipe is misspelt.
 */
int facts_follow_recipes(const struct xen_image *image,
                         const struct facts_recipe *recipes, size_t count,
                         struct facts_evidence *evidence);

#endif /* XENOPROF_MODULE_FACTS_RECIPES_H */

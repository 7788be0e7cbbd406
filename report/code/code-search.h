/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which files may have a function's code.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_SEARCH_H
#define XENOPROF_REPORT_CODE_CODE_SEARCH_H

#include "code-info.h"

#include <glob.h>

/* The file of the last of texts ("WHAT:FILE", ends with NULL; or NULL) that
 * means the function; NULL: none does.  WHAT is its image, by pattern, or the
 * domain whose kernel it is part of. */
const char *search_given(const struct loaded *loaded, const char *const *texts,
                         const struct function *function);

/* Those of the places where such files usually are that exist, below root;
 * globfree() in any case. */
void search_usual(const char *root, const struct loaded *loaded,
                  const struct function *function,
                  const struct code_info *facts, glob_t *ret);

#endif

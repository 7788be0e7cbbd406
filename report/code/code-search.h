/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a session says of a function's code, and which files may have it.
 */
#ifndef XENOPROF_REPORT_CODE_CODE_SEARCH_H
#define XENOPROF_REPORT_CODE_CODE_SEARCH_H

#include "hits.h"

#include <glob.h>

#define CODE_INFO_MAX 128u

/* Unknown values are "". */
struct code_info {
    char build_id[CODE_INFO_MAX]; /* hexadecimal */
    char release[CODE_INFO_MAX];  /* of the kernel; without slashes */
    const char *boot;             /* boot id, if it is dom0's code */
};

void code_info(const struct loaded *loaded, const struct function *function,
               struct code_info *ret);

/* Returns the file of the last of texts ("WHAT:FILE", ends with NULL; or NULL)
 * that means the function, or NULL if none does.  WHAT is its image, as a
 * pattern, or a domain whose kernel has it. */
const char *search_given(const struct loaded *loaded, const struct hits *hits,
                         const char *const *texts,
                         const struct function *function);

/* List the files below root that exist where such files usually are.  The
 * caller calls globfree() in any case. */
void search_usual(const char *root, const struct loaded *loaded,
                  const struct function *function, const struct code_info *info,
                  glob_t *ret);

#endif

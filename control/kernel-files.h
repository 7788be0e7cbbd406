/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that the user gave for guests' kernels: --guest-kernel=DOM:FILE.  DOM
 * is a domain's number, or a name in which * and ? match any characters.
 */
#ifndef XENOPROF_CONTROL_KERNEL_FILES_H
#define XENOPROF_CONTROL_KERNEL_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "domain-list.h"
#include "base/failure.h"

#define KERNEL_FILES_MAX 16u

struct kernel_files {
    char *texts[KERNEL_FILES_MAX]; /* as given, malloc'ed */
    unsigned int count;
};

void kernel_files_free(struct kernel_files *files);

/* Returns 0, STATUS_USAGE or STATUS_RANGE. */
int kernel_files_add(struct kernel_files *files, const char *text,
                     struct failure *failure);

/* Returns the file of the first pair that matches domain, or NULL. */
const char *kernel_files_find(const struct kernel_files *files,
                              const struct listed_domain *domain);

/* Writes each pair as a field of a line (protocol.h). */
void kernel_files_put(const struct kernel_files *files, FILE *file);

#endif

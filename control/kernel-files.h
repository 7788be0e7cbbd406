/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that a user gave for guests' kernels: --guest-kernel=DOM:FILE, where
 * DOM is a domain's number, or its name with * and ? for what may vary.
 */
#ifndef XENOPROF_CONTROL_KERNEL_FILES_H
#define XENOPROF_CONTROL_KERNEL_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include "domain-list.h"
#include "base/failure.h"

#define KERNEL_FILES_MAX 16u

struct kernel_files {
    char *texts[KERNEL_FILES_MAX]; /* as they were given, malloc'ed */
    unsigned int count;
};

void kernel_files_free(struct kernel_files *files);

/* 0, or a status with its sentence. */
int kernel_files_add(struct kernel_files *files, const char *text,
                     struct failure *failure);

/* The file for this domain, of the first that matches; NULL: none. */
const char *kernel_files_find(const struct kernel_files *files,
                              const struct listed_domain *domain);

/* Each as a field of a line (protocol.h). */
void kernel_files_put(const struct kernel_files *files, FILE *file);

#endif

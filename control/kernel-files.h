/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that the user gave for guests' kernels: --guest-kernel=DOM:FILE. */
#ifndef XENOPROF_CONTROL_KERNEL_FILES_H
#define XENOPROF_CONTROL_KERNEL_FILES_H

#include "domain-pairs.h"

/* Returns 0, STATUS_USAGE or STATUS_RANGE. */
int kernel_files_add(struct domain_pairs *files, const char *option,
                     const char *text, struct failure *failure);

#endif

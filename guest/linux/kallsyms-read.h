/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads kallsyms, once its offsets are found. */
#ifndef XENOPROF_GUEST_LINUX_KALLSYMS_READ_H
#define XENOPROF_GUEST_LINUX_KALLSYMS_READ_H

#include "kallsyms.h"
#include "offset-run.h"

/* Returns KERNEL_OK with all tables in *ret, KERNEL_UNKNOWN if run is not a
 * kernel's offsets, or why they cannot be read. */
enum kernel_status kallsyms_read(struct guest_memory *memory,
                                 const struct offset_run *run,
                                 struct kallsyms **ret);

#endif

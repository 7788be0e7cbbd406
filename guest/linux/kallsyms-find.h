/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds kallsyms in a kernel's memory. */
#ifndef XENOPROF_GUEST_LINUX_KALLSYMS_FIND_H
#define XENOPROF_GUEST_LINUX_KALLSYMS_FIND_H

#include "guest/kernel-info.h"
#include "kallsyms.h"

/* Returns KERNEL_OK with the tables of the kernel whose code or modules lie
 * around address in *ret; KERNEL_UNKNOWN if there are none; KERNEL_DAMAGED if
 * only broken ones are; KERNEL_BUDGET or KERNEL_NO_MEMORY. */
enum kernel_status kallsyms_find(struct guest_memory *memory, uint64_t address,
                                 struct kallsyms **ret);

#endif

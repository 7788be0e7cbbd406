/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The packed names of kallsyms, and the markers that say where some start. */
#ifndef XENOPROF_GUEST_LINUX_KALLSYMS_NAMES_H
#define XENOPROF_GUEST_LINUX_KALLSYMS_NAMES_H

#include "guest/kernel-info.h"
#include "kallsyms.h"

/* Reads kallsyms->count names from address on, and notes where each block of
 * them starts.  Returns KERNEL_OK, KERNEL_UNKNOWN if there are not so many
 * names, KERNEL_BUDGET or KERNEL_NO_MEMORY; then kallsyms has none. */
enum kernel_status kallsyms_read_names(struct kallsyms *kallsyms,
                                       struct guest_memory *memory,
                                       uint64_t address);
/* Frees names and markers. */
void kallsyms_drop_names(struct kallsyms *kallsyms);

/* Returns whether the kernel's own markers, of width bytes each, lie at address
 * and agree with the names; *end is behind them. */
bool kallsyms_check_markers(const struct kallsyms *kallsyms,
                            struct guest_memory *memory, uint64_t address,
                            uint32_t width, uint64_t *end);

#endif

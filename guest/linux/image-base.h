/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where in a guest's memory an image lies. */
#ifndef XENOPROF_GUEST_LINUX_IMAGE_BASE_H
#define XENOPROF_GUEST_LINUX_IMAGE_BASE_H

#include "guest/elf-memory.h"
#include "linux-image.h"

/*
 * Looks for image in memory at its own base and, for Linux, at each other that
 * KASLR can choose.  Returns KERNEL_OK with the base in *base, also if nothing
 * can be compared and address is in its code; else KERNEL_MISMATCH or
 * KERNEL_BUDGET.  elf may be NULL.
 */
enum kernel_status image_find_base(const struct linux_image *image,
                                   const struct elf_memory *elf,
                                   struct guest_memory *memory,
                                   uint64_t address, uint64_t *base);

/* Returns whether the image's build-id lies where the guest has the image;
 * false if it cannot be read, or the image has none. */
bool image_has_build_id(const struct linux_image *image,
                        struct guest_memory *memory, uint64_t base);

/* Returns whether another kernel's build-id or banner lies where this one's
 * was. */
bool image_is_replaced(const struct linux_image *image,
                       struct guest_memory *memory, uint64_t base);

#endif

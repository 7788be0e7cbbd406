/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads an image from a file: ELF, System.map, a copy of /proc/kallsyms. */
#ifndef XENOPROF_GUEST_LINUX_IMAGE_FILE_H
#define XENOPROF_GUEST_LINUX_IMAGE_FILE_H

#include "linux-image.h"

struct found_image {
    struct linux_image *image;
    uint64_t base; /* where the guest has it */
    bool checked;  /* its names are those of what runs */
};

/* Returns KERNEL_OK with *ret filled, or why there is no image; KERNEL_MISMATCH
 * if search->memory has another build. */
enum kernel_status image_from_file(const struct kernel_search *search,
                                   struct found_image *ret);

#endif

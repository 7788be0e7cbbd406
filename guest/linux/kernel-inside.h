/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef XENOPROF_GUEST_LINUX_KERNEL_INSIDE_H
#define XENOPROF_GUEST_LINUX_KERNEL_INSIDE_H

#include "image.h"
#include "modules.h"

struct kernel_images {
    struct image *list;
    uint8_t key[16]; /* of their fingerprints */
};

struct kernel {
    struct kernel_images *images;
    struct image *image;
    uint64_t base;
    uint64_t bytes_read;
    bool checked;
    struct modules modules;
};

/* Takes image over: a kernel of it at base, or of an equal image that is
 * there already.  NULL: no memory, and image is gone. */
struct kernel *kernel_of_image(struct kernel_images *images,
                               struct image *image, uint64_t base);

#endif

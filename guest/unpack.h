/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is in boot images and packed files. */
#ifndef XENOPROF_GUEST_UNPACK_H
#define XENOPROF_GUEST_UNPACK_H

#include "kernel-info.h"

#define UNPACKED_MAX (256u << 20)

struct unpacked {
    const uint8_t *bytes;
    size_t size;
    void *owned; /* NULL: bytes are the caller's */
};

/* Returns KERNEL_OK with the kernel in *ret, which is bytes itself if it is not
 * packed; KERNEL_DAMAGED if it is broken or longer than UNPACKED_MAX;
 * KERNEL_NO_MEMORY. */
enum kernel_status unpack_kernel(const uint8_t *bytes, size_t size,
                                 struct unpacked *ret);
/* After KERNEL_OK. */
void unpack_free(struct unpacked *unpacked);

#endif

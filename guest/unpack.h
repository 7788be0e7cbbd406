/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Boot images and packed files: what is in them.
 */
#ifndef XENOPROF_GUEST_UNPACK_H
#define XENOPROF_GUEST_UNPACK_H

#include "kernel-info.h"

#define UNPACKED_MAX (256u << 20)

struct unpacked {
    const uint8_t *bytes;
    size_t size;
    void *owned; /* NULL: bytes are the caller's */
};

/* KERNEL_DAMAGED: it is packed, but broken, or longer than UNPACKED_MAX.
 * What is not packed stays as it is. */
enum kernel_status unpack_kernel(const uint8_t *bytes, size_t size,
                                 struct unpacked *ret);
void unpack_free(struct unpacked *unpacked);

/* One way of packing: fills to (room bytes); returns how many there were, 0
 * if it is damaged or longer. */
size_t unpack_gzip(const uint8_t *bytes, size_t size, uint8_t *to, size_t room);
size_t unpack_xz(const uint8_t *bytes, size_t size, uint8_t *to, size_t room);
size_t unpack_lzma(const uint8_t *bytes, size_t size, uint8_t *to, size_t room);
size_t unpack_zstd(const uint8_t *bytes, size_t size, uint8_t *to, size_t room);
/* The legacy frame, which is Linux's: blocks without checksums. */
size_t unpack_lz4(const uint8_t *bytes, size_t size, uint8_t *to, size_t room);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ways of packing that Linux's boot images have. */
#ifndef XENOPROF_GUEST_UNPACK_FORMATS_H
#define XENOPROF_GUEST_UNPACK_FORMATS_H

#include <stddef.h>
#include <stdint.h>

/* Each undoes one way of packing.  Returns how many bytes it wrote, 0 if the
 * input is damaged or needs more than room. */
size_t unpack_gzip(const uint8_t *bytes, size_t size, uint8_t *to, size_t room);
size_t unpack_xz(const uint8_t *bytes, size_t size, uint8_t *to, size_t room);
size_t unpack_lzma(const uint8_t *bytes, size_t size, uint8_t *to, size_t room);
size_t unpack_zstd(const uint8_t *bytes, size_t size, uint8_t *to, size_t room);
/* The legacy frame, which is Linux's: blocks without checksums. */
size_t unpack_lz4(const uint8_t *bytes, size_t size, uint8_t *to, size_t room);

#endif

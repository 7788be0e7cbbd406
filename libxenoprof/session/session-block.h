/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A block: from items to bytes on disk, and back.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_BLOCK_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_BLOCK_H

#include <zstd.h>

#include "base/buffer.h"
#include "session-format.h"

/* Returns the checksum of size bytes. */
uint32_t session_check(const void *bytes, size_t size);

/* Fill in a file's header, with its checksum. */
void file_header_init(struct session_file_header *ret, uint32_t number,
                      uint64_t session);
/* Returns whether magic and checksum are right. */
bool file_header_sound(const struct session_file_header *header);

/* Append to block its header and the items of raw, compressed.  Returns false
 * if there is no memory. */
bool block_seal(ZSTD_CCtx *zstd, const struct buffer *raw, uint64_t sequence,
                struct buffer *block);

/* Returns whether magic, checksum and lengths are right. */
bool block_header_sound(const struct session_block_header *header);

/* Decompress the items of a block with a sound header into raw, which has room
 * for them.  Returns false if the payload does not match the header. */
bool block_open(ZSTD_DCtx *zstd, const struct session_block_header *header,
                const void *payload, struct buffer *raw);

#endif

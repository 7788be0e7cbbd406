/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One block: from items to bytes on disk, and back.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_BLOCK_H
#define XENOPROF_LIBXENOPROF_SESSION_BLOCK_H

#include <zstd.h>

#include "base/buffer.h"
#include "session-format.h"

uint32_t session_check(const void *bytes, size_t size);

/* A file's header, filled in; and whether one is whole. */
void file_header_init(struct session_file_header *ret, uint32_t number,
                      uint64_t session);
bool file_header_sound(const struct session_file_header *header);

/*
 * Append header and compressed payload of raw's items to block.  False if
 * there is no memory.
 */
bool block_seal(ZSTD_CCtx *zstd, const struct buffer *raw, uint64_t sequence,
                struct buffer *block);

/* Magic, checksum and lengths are right. */
bool block_header_sound(const struct session_block_header *header);

/* Items of a block with a sound header, into raw, which has room for them.
 * False if the payload is not what the header says. */
bool block_open(ZSTD_DCtx *zstd, const struct session_block_header *header,
                const void *payload, struct buffer *raw);

#endif

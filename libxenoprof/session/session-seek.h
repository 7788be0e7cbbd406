/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader that wants samples of some time leaves others on disk: blocks say in
 * their headers when their samples were taken.  What is no sample is read of
 * each file that has something near that time, and of the last one, which has
 * the account of all.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_SEEK_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_SEEK_H

#include "session-reader.h"

/* Returns whether a block that ends at the byte end has samples that are not
 * wanted; that of the file's last bytes is read, since it may be torn. */
bool seek_passes(struct xenoprof_session *session,
                 const struct session_block_header *header, uint64_t end);

/* Returns whether sums of a block's samples are as good as these: all that it
 * has of them is wanted, and they are there. */
bool seek_sums(const struct xenoprof_session *session,
               const struct session_block_header *header, uint64_t end);

/* Returns whether a block has samples that are wanted. */
bool seek_wants(const struct session_span *span,
                const struct session_block_header *header);
/* Returns true and the header of the block at offset, or false if it is not of
 * a whole block of version 2. */
bool seek_header(const struct xenoprof_session *session, uint64_t offset,
                 struct session_block_header *ret);

/* Returns true if nothing of the current file from the session's offset on is
 * wanted, and nothing is wrong with it; *samples are so many, and *sequence is
 * of the block behind them. */
bool seek_is_far(const struct xenoprof_session *session, uint64_t *samples,
                 uint64_t *sequence);

/* Returns the latest time that headers of the current file say; 0 if there is
 * none, or something else than whole blocks. */
uint64_t seek_last(const struct xenoprof_session *session);

#endif

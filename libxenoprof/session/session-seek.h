/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A reader that wants samples of some time leaves others on disk: the header of
 * a block says when its samples were taken.  Tables and accounts are read of
 * each file that has samples near that time, and of the last file, which has
 * the account of the whole session.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_SEEK_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_SEEK_H

#include "session-reader.h"

/* Returns whether the samples of this block, which ends at the byte end, can be
 * passed over: none is wanted.  The last block of a file is always read, since
 * it may be torn. */
bool seek_passes(struct xenoprof_session *session,
                 const struct session_block_header *header, uint64_t end);

/* Returns whether the sums that this block stores can stand for its samples: it
 * has sums, and all of its samples are wanted. */
bool seek_sums(const struct xenoprof_session *session,
               const struct session_block_header *header, uint64_t end);

/* Returns whether a block has samples that are wanted. */
bool seek_wants(const struct session_span *span,
                const struct session_block_header *header);
/* Returns true and the header of the block at offset, or false if no whole
 * block of version 2 is there. */
bool seek_header(const struct xenoprof_session *session, uint64_t offset,
                 struct session_block_header *ret);

/* Returns true if nothing of the current file from the session's offset on is
 * wanted, and nothing is wrong there.  *samples is how many samples that is,
 * *sequence the number that the block after them would have. */
bool seek_is_far(const struct xenoprof_session *session, uint64_t *samples,
                 uint64_t *sequence);

/* Returns the latest time that headers of the current file say; 0 if there is
 * none, or something else than whole blocks. */
uint64_t seek_last(const struct xenoprof_session *session);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples of the blocks that come next, and what these define, read by other
 * threads while the caller counts those of this one.  What is defined depends
 * on a block's bytes, what its samples are also on the shapes that were defined
 * up to it.  A thread takes those that are expected; if the block's turn comes
 * and they are others, its work was in vain, and the block's samples are read
 * as without threads.  So a session reads the same with any number of them.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_AHEAD_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_AHEAD_H

#include "session-reader.h"

/* Nothing of the current file is wanted any more. */
void ahead_forget(struct session_ahead *ahead);

/* Asks for samples of the blocks from the session's offset on; the block before
 * it was read.  What was found of that is gone. */
void ahead_ask(struct xenoprof_session *session);
/* Waits for what is read of the block with this header, which is at the
 * session's offset.  Returns its second part, which is sound, good until
 * ahead_ask(); or NULL if nobody was asked for it, or could read it. */
const uint8_t *ahead_find(struct xenoprof_session *session,
                          const struct session_block_header *header);
/* Returns what is read of the first part of the block that was found, for
 * part_reader.ahead: good until ahead_take(). */
struct part_ahead *ahead_tables(struct xenoprof_session *session);
/* Puts the samples of the block that was found into session->read, and takes
 * its steps, as reader_take_samples() does when all is well.  Returns false if
 * it is left to that. */
bool ahead_take(struct xenoprof_session *session);

/* Returns how many blocks' samples it put there; ahead may be NULL. */
unsigned int ahead_used(const struct session_ahead *ahead);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads that read the blocks that come next while the caller counts the
 * samples of this one.  What a block defines depends on its own bytes only.
 * Its samples depend on shapes, too (a shape is what many samples have in
 * common, such as mode and type), which blocks before it define.  So a thread
 * reads samples by the shapes that are expected to be there by then; if others
 * are there when the block's turn comes, the work was in vain, and its samples
 * are read once more.  A session reads the same with any number of threads.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_READ_AHEAD_H
#define XENOPROF_LIBXENOPROF_SESSION_READ_AHEAD_H

#include "session-reader.h"

/* Nothing of the current file is wanted any more. */
void read_ahead_forget(struct read_ahead *read_ahead);

/* Asks for samples of the blocks from the session's offset on; the block before
 * it was read.  What was found of that is gone. */
void read_ahead_ask(struct xenoprof_session *session);
/* Waits for what is read of the block with this header, which is at the
 * session's offset.  Returns its second section, which is sound, good until
 * read_ahead_ask(); or NULL if nobody was asked for it, or could read it. */
const uint8_t *read_ahead_find(struct xenoprof_session *session,
                               const struct session_block_header *header);
/* Returns what is read of the first section of the block that was found, for
 * section_reader.early: good until read_ahead_take(). */
struct early_tables *read_ahead_tables(struct xenoprof_session *session);
/* Puts the samples of the block that was found into session->read, and takes
 * its steps, as reader_take_samples() does when all is well.  Returns false if
 * it is left to that. */
bool read_ahead_take(struct xenoprof_session *session);

/* Returns how many blocks' samples it put there; read_ahead may be NULL. */
unsigned int read_ahead_used(const struct read_ahead *read_ahead);

#endif

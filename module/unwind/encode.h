/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Encodes frames as <xenoprof/unwind.h> describes. */
#ifndef XENOPROF_MODULE_UNWIND_ENCODE_H
#define XENOPROF_MODULE_UNWIND_ENCODE_H

#include "stack-frame.h"

/*
 * Returns 0 with *table malloc'ed, -ENOMEM, or -E2BIG if the table has more
 * than XENOPROF_UNWIND_MAX bytes. states[] gets the index of each instruction's
 * state.
 */
int unwind_encode(const struct listing *listing,
                  const struct unwind_frame *frames, uint8_t *states,
                  struct xenoprof_unwind **table);

/* Returns whether an instruction only fills space: nothing reaches it. */
bool unwind_is_padding(const struct unwind_insn *insn,
                       const struct unwind_frame *frame);

/* Returns the state of a frame, of kind NONE where the frame is not known. */
struct xenoprof_unwind_state unwind_state_of(const struct unwind_frame *frame);

#endif

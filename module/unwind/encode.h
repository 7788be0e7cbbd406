/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From frames to the bytes that <xenoprof/unwind.h> describes. */
#ifndef XENOPROF_MODULE_UNWIND_ENCODE_H
#define XENOPROF_MODULE_UNWIND_ENCODE_H

#include "stack-frame.h"

/*
 * *table is malloc'ed.  states[] gets, for each instruction, the index of its
 * state in the table.  Returns 0, -ENOMEM, or -E2BIG: more than
 * XENOPROF_UNWIND_MAX bytes.
 */
int unwind_encode(const struct listing *listing,
                  const struct unwind_frame *frames, uint8_t *states,
                  struct xenoprof_unwind **table);

/* Nothing comes by, and nothing ever will: it fills space. */
bool unwind_is_padding(const struct unwind_insn *insn,
                       const struct unwind_frame *frame);

/* State of a frame; kind NONE where it cannot be said. */
struct xenoprof_unwind_state unwind_state_of(const struct unwind_frame *frame);

#endif

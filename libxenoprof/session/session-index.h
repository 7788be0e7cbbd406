/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A writer's strings, places and stacks by their content: equal ones have one
 * number.  Each function that returns a number returns 0 if there is none.
 */
#ifndef XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_INDEX_H
#define XENOPROF_LIBXENOPROF_SESSION_SESSION_SESSION_INDEX_H

#include "session-state.h"

/* Returns the number of these bytes. */
uint32_t index_find_string(const struct session_state *state, const void *bytes,
                           size_t size);
/* Returns the number of these bytes, a new one if need be, or 0 if there is no
 * memory or no number left. */
uint32_t index_string(struct session_state *state, const void *bytes,
                      size_t size);

/* Returns the number under which an address is known now. */
uint32_t index_find_place(const struct session_state *state, uint16_t domain,
                          uint8_t mode, uint64_t address);
/* Returns the number of this place, a new one if it is not known or has
 * another name, or 0 if there is no memory or no number left.  *named says
 * that a known place without a symbol got one, and must be written again. */
uint32_t index_place(struct session_state *state,
                     const struct place_entry *place, bool *named);
/* Returns the first place after number that has no symbol. */
uint32_t index_unnamed(const struct session_state *state, uint16_t domain,
                       uint8_t mode, uint32_t number);

/* Returns the number of this stack. */
uint32_t index_find_stack(const struct session_state *state,
                          const uint32_t *places, size_t count);
/* The same; a new number if it is not known, or 0 if there is no memory or no
 * number left. */
uint32_t index_stack(struct session_state *state, const uint32_t *places,
                     size_t count);

/*
 * Most stacks differ from others only in their last calls.  Returns a stack
 * that file defines and that shares the longest row of outer callers with
 * these places; *shared is the length of that row.
 */
uint32_t index_find_base(const struct session_state *state, uint32_t file,
                         const uint32_t *places, uint32_t count,
                         uint32_t *shared);
/* From now on file defines this stack, and others may be based on it.  Returns
 * false if there is no memory. */
bool index_add_base(struct session_state *state, uint32_t file,
                    uint32_t number);

/* For a writer that continues a session: take a number that is in use.
 * Returns false if there is no memory. */
bool index_take_place(struct session_state *state, uint32_t number,
                      const struct place_entry *place);
bool index_take_stack(struct session_state *state, uint32_t number,
                      const uint32_t *places, size_t count);

#endif

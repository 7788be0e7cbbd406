/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Answers of a batch (batch.h), as a walker writes and the daemon reads
 * them. */
#ifndef XENOPROF_DAEMON_PARSER_BATCH_ANSWERS_H
#define XENOPROF_DAEMON_PARSER_BATCH_ANSWERS_H

#include "batch.h"
#include "guest/kernel-info.h"

/* Room for answers. */
struct batch_room {
    uint8_t *at;
    size_t left;
};

/* Return false, and write nothing, if there is no room.  A chain is cut before
 * its first frame that is not canonical.  A symbol of no name has none; so has
 * one that the daemon would not take. */
bool batch_put_frames(struct batch_room *room,
                      const struct unwind_result *result);
bool batch_put_name(struct batch_room *room, uint64_t address,
                    const struct kernel_symbol *symbol);

/* Returns whether these are answers to requests for count stacks, with those
 * instructions; the two functions below then find what they expect. */
bool batch_check_answers(const uint8_t *bytes, size_t size,
                         const uint64_t *instructions, size_t count);

/* Returns where the names are in checked answers. */
uint32_t batch_names_at(const uint8_t *bytes);

/* Read an answer from checked ones.  Return its size. */
size_t batch_get_frames(const uint8_t *at, struct unwind_result *ret);
size_t batch_get_name(const uint8_t *at, uint64_t *address,
                      struct kernel_symbol *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's side of the walker of dom0's processes: a process in the sandbox
 * that is told tables and spaces, and then walks stacks (user-wire.h).  No call
 * waits.
 *
 * What is sent returns LINK_OK; LINK_MORE if there is no room now: it is to be
 * sent again; or LINK_DIED, LINK_NONE, after which the walker can only be
 * ended.  Stacks are gathered, and sent together.
 */
#ifndef XENOPROF_DAEMON_PARSER_USER_WALKER_LINK_H
#define XENOPROF_DAEMON_PARSER_USER_WALKER_LINK_H

#include "cage/link-status.h"
#include "cage/process-maker.h"
#include "user-wire.h"

/* ns of our clock that it has until its next answer, and until the answer to
 * any one question. */
#define USER_WALKER_PATIENCE 20000000000ull
#define USER_WALKER_LONGEST  60000000000ull
/* Stacks that are walked at a time. */
#define USER_AWAY_MAX 256u

struct user_walker;

/* Returns a walker that was told nothing, or NULL if there is no memory or no
 * process can be made now.  maker outlives it. */
struct user_walker *user_walker_begin(const struct process_maker *maker);
/* Kills the process; takes NULL. */
void user_walker_end(struct user_walker *walker);
/* Returns the descriptor that answers come from. */
int user_walker_fd(const struct user_walker *walker);
/* Returns ns of CPU time that the process has used, and adds them to what all
 * such processes have (process-maker.h). */
uint64_t user_walker_cpu(struct user_walker *walker);
/* Returns how many answers are to come, or to be taken. */
uint32_t user_walker_away(const struct user_walker *walker);

/* Tells a piece of a table of so many bytes. */
enum link_status user_walker_table(struct user_walker *walker, uint32_t table,
                                   const struct agent_table *whole,
                                   uint64_t offset, const void *bytes,
                                   size_t size);
/* A table goes, told or half told, and each space that has it. */
enum link_status user_walker_forget(struct user_walker *walker, uint32_t table);
/* Tells a space; its tables were told before. */
enum link_status user_walker_space(struct user_walker *walker, uint32_t space,
                                   const struct user_piece_mapped *mappings,
                                   uint32_t count);
/* Asks for a chain.  tag comes back with it.  start's bytes are copied; it is
 * sent at the latest with what is sent next.  There may be room only when all
 * answers were taken. */
enum link_status user_walker_stack(struct user_walker *walker, uint64_t tag,
                                   uint32_t space,
                                   const struct user_start *start);
/* Sends the stacks that were asked for; LINK_OK also if there are none. */
enum link_status user_walker_send(struct user_walker *walker);
/* Returns true if stacks were asked for and not sent yet. */
bool user_walker_gathers(const struct user_walker *walker);

/* Takes an answer: LINK_OK; LINK_MORE if there is none now; LINK_DIED,
 * LINK_NONE.  They come in the order of the questions.  Whatever the process
 * says, the chain has a frame, no more than USER_ANSWER_FRAMES, and an end that
 * there is. */
enum link_status user_walker_next(struct user_walker *walker, uint64_t *tag,
                                  struct user_chain *ret);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The daemon's side of a walker: a process that walks the stacks of one guest,
 * and names their addresses, from the guest's tables.
 *
 * Requests are gathered into a batch, which goes over and comes back in one:
 *
 *   walker_add(), walker_add_name()...  walker_send()
 *   walker_receive() until LINK_OK      walker_next_name(), walker_next_stack()
 *
 * Names come unasked for each address of a frame that this walker has not named
 * yet, so the names of a batch stand beside its stacks: take them first.  They
 * may be missing when many addresses are new at once; ask for those again.
 * No call waits.
 */
#ifndef XENOPROF_DAEMON_PARSER_WALKER_LINK_H
#define XENOPROF_DAEMON_PARSER_WALKER_LINK_H

#include "guest/unwind.h"
#include "search-link.h"

struct walker_limits {
    uint64_t work;  /* ns of the process itself, for one batch... */
    uint64_t stack; /* ... and for each request in it in addition */
    uint64_t wait;  /* ns of our clock, for one batch */
};

struct walker;

/* Returns a walker, or NULL if there is no memory or no process can be made
 * now.  maker outlives it; the tables need not.  limits NULL: the usual
 * ones. */
struct walker *walker_begin(const struct process_maker *maker,
                            const struct walker_tables *tables,
                            const struct walker_limits *limits);
/* Kills the process; takes NULL. */
void walker_end(struct walker *walker);

/* Add to the batch.  Return false if the batch is full, or away.  tag is handed
 * back with the stack; start's bytes are copied. */
bool walker_add(struct walker *walker, uint64_t tag,
                const struct unwind_start *start);
/* Asks for this address's name, whether it was named before or not. */
bool walker_add_name(struct walker *walker, uint64_t address);
/* The names that came are of no use any more: from the next batch on that is
 * sent all come once more. */
void walker_forget_names(struct walker *walker);

/*
 * Returns whether the batch, gathered until now (our monotonic clock), should
 * be sent: it has many requests, or its first is old enough.  Waking a process
 * costs as much as walking ten stacks, so guests that make few samples should
 * gather some.  Call it once in each round.
 */
bool walker_is_due(struct walker *walker, uint64_t now);
/* Sends the batch; what is left of the last one's answers is dropped.  Returns
 * LINK_MORE; LINK_OK if the batch is empty; or LINK_DIED, LINK_NONE. */
enum link_status walker_send(struct walker *walker);
/* Returns true from walker_send() until walker_receive() returned another than
 * LINK_MORE. */
bool walker_is_away(const struct walker *walker);

/* Returns the descriptor to poll for reading while the batch is away. */
int walker_fd(const struct walker *walker);

/*
 * Returns LINK_OK: all answers are here and checked; LINK_MORE: not yet, or
 * nothing was sent; LINK_DIED; LINK_NONE if the process never began.  After the
 * last two all that can be done is walker_cpu() and walker_end().
 */
enum link_status walker_receive(struct walker *walker);

/*
 * The answers, in the order of walker_add().  Return false after the last one.
 * frames[0] is start's ip, and all others are canonical.
 */
bool walker_next_stack(struct walker *walker, uint64_t *tag,
                       struct unwind_result *ret);
/* The address is that of the code: of a frame that is not exact, one less.
 * ret->name is NULL if it has none.  Texts are printable, and valid until
 * walker_send() or walker_end(). */
bool walker_next_name(struct walker *walker, uint64_t *address,
                      struct kernel_symbol *ret);

/* Returns the ns that the process has worked so far, also after it died.  That
 * is a system call. */
uint64_t walker_cpu(struct walker *walker);

#endif

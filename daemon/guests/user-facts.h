/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the agent says of its guest's processes, for the walker of their stacks:
 * what each has mapped, and the rows of these files.  For user-*.c only.
 */
#ifndef XENOPROF_DAEMON_GUESTS_USER_FACTS_H
#define XENOPROF_DAEMON_GUESTS_USER_FACTS_H

#include "guests.h"

/* Returns what is known of this process (address 0), or NULL; good until the
 * next process is asked for. */
struct known_space *known_space_find(const struct user_stacks *stacks,
                                     const struct user_address *of);
/* Returns true if the walker knows it, and it is not old; takes NULL. */
bool known_space_is_fresh(const struct known_space *space);
/* Returns true if something is mapped there; takes NULL. */
bool known_space_has(const struct known_space *space, uint64_t address);
/* Returns what the process's address is in the file that is mapped there, by
 * what is known of it; takes NULL. */
struct user_code known_space_code(const struct user_stacks *stacks,
                                  const struct known_space *space,
                                  const struct user_address *at);
/* The process has mapped something since: it is asked for anew.  Returns false
 * if that was done a moment ago. */
bool known_space_renew(struct user_stacks *stacks,
                       const struct user_address *of);

/* Asks for a process's mappings at that time of Xen's; after those of others
 * that were asked for before. */
void known_space_fetch(const struct xen *xen, struct user_names *names,
                       const struct user_address *of, uint64_t time);

/* Returns true if this process's can be asked for now; false also if they are
 * being asked for. */
bool known_space_can_fetch(const struct user_stacks *stacks,
                           const struct user_address *of);

/* Takes what the agent says, hands it on to the walker, and asks for more.
 * Returns LINK_OK, LINK_MORE if the walker takes nothing now, or how it ended.
 */
enum link_status user_facts_exchange(struct user_names *names);

#endif

/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inlined functions of a file, by its debug information.  Which unit has which
 * code is read at first, and of a unit, when it is first asked for, what was
 * inlined in it; neither is read again.
 */
#ifndef XENOPROF_AGENT_INLINE_NAMES_H
#define XENOPROF_AGENT_INLINE_NAMES_H

#include "unit-calls.h"

/* Steps that a unit may take, or all their heads; one step is an attribute, an
 * entry of a table or a list.  Some 20 million take a second. */
#define INLINE_UNIT_STEPS 20000000u

struct inline_names;

struct inline_chain {
    unsigned int count;
    const char *names[INLINED_MAX]; /* innermost first; as linkers know them */
};

/* Reads which unit has which code, in so many bytes at most.  Steps that were
 * taken are taken from *steps, as far as there are any.  Returns NULL if the
 * file has no debug information, or one that makes no sense.  fd stays open. */
struct inline_names *inline_names_read(int fd, size_t most, uint64_t *steps);
/* Takes NULL. */
void inline_names_free(struct inline_names *names);
/* Returns how many bytes it takes. */
size_t inline_names_bytes(const struct inline_names *names);
/* Returns how many units took more than they may, or made no sense. */
uint64_t inline_names_refused(const struct inline_names *names);

/* Gives back what reading takes, until something is read again. */
void inline_names_rest(struct inline_names *names);
/* Returns true if it rests, and the unit that has the address was not read yet:
 * the file is to be opened again. */
bool inline_names_want_file(const struct inline_names *names, uint64_t address);
/* The same file.  Returns false if it has no debug information any more. */
bool inline_names_wake(struct inline_names *names, int fd);

/* Finds what was inlined at an address.  The texts are good until the next
 * call.  Steps are taken as above. */
void inline_names_find(struct inline_names *names, uint64_t address,
                       uint64_t *steps, struct inline_chain *ret);

#endif

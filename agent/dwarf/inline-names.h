/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inlined functions and lines of source of a file, by its debug information.
 * Which unit has which code is read at first, and of a unit, when it is first
 * asked for, what was inlined in it, and its lines; neither is read again.
 */
#ifndef XENOPROF_AGENT_INLINE_NAMES_H
#define XENOPROF_AGENT_INLINE_NAMES_H

#include "unit-lines.h"

/* Steps that a unit may take, or all their heads; one step is an attribute, an
 * entry of a table or a list, or 64 bytes that are read.  Some 20 million take
 * a second. */
#define INLINE_UNIT_STEPS 10000000u

#define INLINE_DECOMPRESSED_MAX (64u << 20)

struct inline_names;

struct inline_chain {
    unsigned int count;
    const char *names[INLINED_MAX]; /* innermost first; as linkers know them */
    /* Of the address, and of each call: one more than names. */
    struct source_line lines[INLINED_MAX + 1];
};

/* Reads which unit has which code, in so many bytes at most.  Steps that were
 * taken are taken from *steps, as far as there are any.  Returns NULL if the
 * file has no debug information, or one that makes no sense.  fd is taken over:
 * it is closed when names rest, or at once. */
struct inline_names *inline_names_read(int fd, size_t most, uint64_t *steps);
/* Takes NULL. */
void inline_names_free(struct inline_names *names);
/* Returns how many bytes it takes at rest.  What it reads may have to be
 * decompressed, to INLINE_DECOMPRESSED_MAX bytes. */
size_t inline_names_bytes(const struct inline_names *names);
/* Returns how many units took more than they may, or made no sense. */
uint64_t inline_names_refused(const struct inline_names *names);

/* Gives back what reading takes, until something is read again. */
void inline_names_rest(struct inline_names *names);
/* Returns true if nothing has to be read to find what was inlined at an
 * address. */
bool inline_names_know(const struct inline_names *names, uint64_t address);
/* Returns true if it rests: the file, the same one, is to be opened again
 * before something can be read. */
bool inline_names_rests(const struct inline_names *names);
/* fd is taken over as well.  It rests. */
void inline_names_wake(struct inline_names *names, int fd);

/* Finds what was inlined at an address, and the lines; nothing if it would have
 * to be read and it rests.  The texts are good until the next call.  Steps are
 * taken as above. */
void inline_names_find(struct inline_names *names, uint64_t address,
                       uint64_t *steps, struct inline_chain *ret);

#endif

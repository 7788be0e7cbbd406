/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Linux's own table of its symbols, as it lies in a kernel's memory.
 *
 * Five tables next to each other in .rodata: offsets (addresses, sorted),
 * names (each a length and bytes that stand for tokens), markers (where each
 * 256th name starts), token table and token index.  No version says where
 * they are, so they are recognised by their shape and proved by each other.
 */
#ifndef XENOPROF_GUEST_LINUX_KALLSYMS_H
#define XENOPROF_GUEST_LINUX_KALLSYMS_H

#include "base/flat.h"
#include "kallsyms-tokens.h"

#define KALLSYMS_BLOCK 256u /* symbols from one marker to the next */

struct kallsyms {
    uint64_t base; /* the lowest address; those of the symbols count from it */
    uint32_t count;
    uint32_t first;    /* those before are per-CPU: no addresses, and their
                          offsets are inverted */
    uint32_t *offsets; /* sorted, from first on */
    uint8_t *names;
    uint32_t names_size;
    uint32_t *markers;
    struct kallsyms_tokens tokens;
    bool borrowed; /* the arrays are somebody else's */
};

/* Takes NULL. */
void kallsyms_close(struct kallsyms *kallsyms);

/* Expands the name of symbol number index, with its type letter before it,
 * into to, which has KALLSYMS_NAME_MAX bytes.  Returns true, or false if no
 * name is like that. */
bool kallsyms_name(const struct kallsyms *kallsyms, uint32_t index, char *to);

/* Returns whether there is a symbol at or below offset from the base.  The
 * last of them is in *index; of several at one address the first, as Linux
 * itself chooses. */
bool kallsyms_at(const struct kallsyms *kallsyms, uint32_t offset,
                 uint32_t *index);
/* Returns the offset of the next symbol at another address, or 0. */
uint32_t kallsyms_next(const struct kallsyms *kallsyms, uint32_t index);

struct kallsyms_wanted {
    const char *name;
    uint64_t offset; /* 0 if it is not found */
    bool found;
    bool per_cpu;  /* look among per-CPU symbols, too */
    bool absolute; /* it was found there: offset is no distance from the base */
};
/* Walks over all names once; the first of equal ones counts.  Returns true, or
 * false if something in the table is not as a name can be. */
bool kallsyms_look_up(const struct kallsyms *kallsyms,
                      struct kallsyms_wanted *wanted, size_t count);

/* Appends the table to flat ones, without its base.  Returns false if there is
 * no memory. */
bool kallsyms_put(const struct kallsyms *kallsyms, struct buffer *to);
/* Returns the next flat table, with base 0, whose bytes it uses where they lie;
 * or NULL if that is not a table, or there is no memory. */
struct kallsyms *kallsyms_get(struct cursor *from);

#endif

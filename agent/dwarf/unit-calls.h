/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The calls that a compiler replaced by the code of what was called, in one
 * unit. */
#ifndef XENOPROF_AGENT_UNIT_CALLS_H
#define XENOPROF_AGENT_UNIT_CALLS_H

#include "unit-names.h"

/* Calls in each other, at one address. */
#define INLINED_MAX 16u

/* A piece of a function, or of a call in it. */
struct unit_piece {
    uint64_t low, high;
    uint32_t name;  /* where in texts; 0: a function */
    uint32_t depth; /* 0: a function; its calls are 1, calls in these 2, ... */
    uint32_t file, line; /* of the call, by the file's number in the unit; 0:
                            not known */
};

struct unit_calls {
    struct {
        VECTOR(struct unit_piece); /* by low, then by depth */
    } pieces;
    struct buffer texts; /* zero-terminated */
};

/* Reads the calls of the unit at that offset, in so many bytes at most.
 * Returns false, and nothing, if that takes more, or steps than there are, or
 * makes no sense. */
bool unit_calls_read(struct dwarf_file *file, const struct unit_list *units,
                     uint64_t offset, size_t most, struct unit_calls *ret);
void unit_calls_free(struct unit_calls *calls);

/* Calls that an address is in, innermost first. */
struct unit_chain {
    unsigned int count;
    const struct unit_piece *calls[INLINED_MAX];
    const struct unit_piece *outer; /* the last of all that there are; NULL */
};

/* Finds them; good as long as the calls are. */
void unit_calls_find(const struct unit_calls *calls, uint64_t address,
                     struct unit_chain *ret);
/* Returns what was called. */
static inline const char *unit_calls_name(const struct unit_calls *calls,
                                          const struct unit_piece *call)
{
    return (const char *)calls->texts.bytes + call->name;
}

#endif

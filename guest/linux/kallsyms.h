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

#include "guest/kernel.h"

#define KALLSYMS_SYMBOLS_MAX (1u << 20)
#define KALLSYMS_NAME_MAX    512u /* with its type and its end */
#define KALLSYMS_TOKENS_MAX  8192u
#define KALLSYMS_BLOCK       256u /* symbols from one marker to the next */

/* What an offset means. */
enum kallsyms_encoding {
    KALLSYMS_PER_CPU, /* from 0 on: an absolute per-CPU symbol; below: minus
                         the distance from the base, minus one */
    KALLSYMS_PLAIN,   /* the distance from the base */
    KALLSYMS_PLACE,   /* the distance from the offset's own place (7.0) */
    KALLSYMS_ENCODINGS
};

struct kallsyms_tokens {
    uint16_t index[256];
    uint32_t size;
    char table[KALLSYMS_TOKENS_MAX]; /* 256 terminated strings */
};

struct kallsyms {
    uint64_t base; /* the lowest address; those of the symbols count from it */
    uint32_t count;
    uint32_t first;    /* those before are per-CPU: no addresses */
    uint32_t *offsets; /* sorted, from first on */
    uint8_t *names;
    uint32_t names_size;
    uint32_t *markers;
    struct kallsyms_tokens tokens;
};

/* The tables of the kernel whose code or modules lie around address. */
enum kernel_code kallsyms_find(struct guest_memory *memory, uint64_t address,
                               struct kallsyms **ret);
void kallsyms_close(struct kallsyms *kallsyms);

/* Name of symbol number index with its type letter before it; to has
 * KALLSYMS_NAME_MAX bytes.  False: it is not as a name can be. */
bool kallsyms_name(const struct kallsyms *kallsyms, uint32_t index, char *to);

/* The last symbol at or below offset from the base; of several at one
 * address the first, as Linux itself chooses.  False if there is none. */
bool kallsyms_at(const struct kallsyms *kallsyms, uint32_t offset,
                 uint32_t *index);
/* The offset of the next symbol that is not at the same address, or 0. */
uint32_t kallsyms_next(const struct kallsyms *kallsyms, uint32_t index);

struct kallsyms_wanted {
    const char *name;
    uint64_t offset;
    bool found;
};
/* One walk over all names; the first of equal ones counts.  False: a name is
 * not as a name can be. */
bool kallsyms_look_up(const struct kallsyms *kallsyms,
                      struct kallsyms_wanted *wanted, size_t count);

#endif

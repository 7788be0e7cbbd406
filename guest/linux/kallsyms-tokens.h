/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tokens that the names of kallsyms are packed with: 256 strings, each
 * byte of a name is the number of one, and an index of where each starts.
 */
#ifndef XENOPROF_GUEST_LINUX_KALLSYMS_TOKENS_H
#define XENOPROF_GUEST_LINUX_KALLSYMS_TOKENS_H

#include "guest/memory.h"

#define KALLSYMS_NAME_MAX   512u /* with its type and its end */
#define KALLSYMS_TOKENS_MAX 8192u

struct kallsyms_tokens {
    uint16_t index[256];
    uint32_t size;
    char table[KALLSYMS_TOKENS_MAX]; /* 256 terminated strings */
};

/* Returns whether 256 strings lie at address and an index of them behind. */
bool tokens_read(struct guest_memory *memory, uint64_t address,
                 struct kallsyms_tokens *ret);
/* Reads the strings before an index at address.  Returns their own address, or
 * 0 if there are none. */
uint64_t tokens_read_before(struct guest_memory *memory, uint64_t address,
                            struct kallsyms_tokens *ret);

/* Returns how many bytes the length before a name has, 0 if it cannot be one.
 * The length is in *ret. */
uint32_t tokens_length(const uint8_t *at, const uint8_t *end, uint32_t *ret);
/* Expands a name into to, which has KALLSYMS_NAME_MAX bytes.  Returns true, or
 * false if it is too long or empty. */
bool tokens_expand(const struct kallsyms_tokens *tokens, const uint8_t *at,
                   uint32_t length, char *to);

/* Tables lie at multiples of 8, since Linux commit a081b5789255 ("kallsyms: Get
 * rid of kallsyms relative base") (v7.0) of 4. */
static inline uint64_t tokens_align(uint64_t address, uint32_t alignment)
{
    return (address + alignment - 1) & -(uint64_t)alignment;
}

#endif
